#!/bin/sh
# Runs in the postgres container, once, when its volume is empty. Tidings and Temporal get roles with access to their own
# databases only. A separate role, which only the migration uses, owns the tables of Tidings: the program cannot drop or
# alter them. The passwords are read from the environment, so that no process list shows them.
set -eu

psql --no-psqlrc --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname=postgres <<'SQL'
\getenv owner_password TIDINGS_DB_OWNER_PASSWORD
\getenv tidings_password TIDINGS_DB_PASSWORD
\getenv temporal_password TEMPORAL_DB_PASSWORD
CREATE ROLE tidings_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE tidings LOGIN PASSWORD :'tidings_password';
CREATE ROLE temporal LOGIN PASSWORD :'temporal_password';
CREATE DATABASE tidings OWNER tidings_owner;
CREATE DATABASE temporal OWNER temporal;
CREATE DATABASE temporal_visibility OWNER temporal;
REVOKE CONNECT ON DATABASE tidings, temporal, temporal_visibility FROM PUBLIC;
GRANT CONNECT ON DATABASE tidings TO tidings;
SQL
