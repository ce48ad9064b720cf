#!/bin/sh
# Runs in the admin-tools container before each start of the Temporal server. Creates the tables on the first run, and
# migrates them to the version of the image after an upgrade. Address and password come from SQL_*.
set -eu

for part in temporal visibility; do
  database=temporal
  if [ "$part" = visibility ]; then database=temporal_visibility; fi
  temporal-sql-tool --database "$database" setup-schema --version 0.0
  temporal-sql-tool --database "$database" update-schema --schema-name "postgresql/v12/$part"
done
