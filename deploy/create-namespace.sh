#!/bin/sh
# Runs in the admin-tools container when the Temporal server listens. Creates the namespace and the search attributes that
# workflows/contract.ts lists, if they are missing, and sets the retention. The CLI reads TEMPORAL_ADDRESS and
# TEMPORAL_NAMESPACE itself, except that `namespace create` takes the name only as a flag.
set -eu

# A server that has just started may refuse calls for a while, and a new namespace takes time to reach all services.
retry() {
  attempt=1
  until answer=$("$@" 2>&1); do
    if [ "$attempt" -ge 30 ]; then
      echo "Gave up after $attempt attempts of $*: $answer" >&2
      exit 1
    fi
    attempt=$((attempt + 1))
    sleep 2
  done
}

create_namespace() {
  if temporal operator namespace describe >/dev/null 2>&1; then
    temporal operator namespace update --retention "$NAMESPACE_RETENTION"
  else
    temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$NAMESPACE_RETENTION"
  fi
}

create_search_attributes() {
  temporal operator search-attribute create \
    --name WorkspaceId --type Keyword \
    --name Channel --type Keyword \
    --name BatchId --type Keyword \
    --name MessageIds --type KeywordList
}

# The server reloads a namespace every few seconds. Sends before that would be refused.
use_search_attributes() {
  temporal workflow list --limit 1 --query "WorkspaceId = '-' AND Channel = '-' AND BatchId = '-' AND MessageIds = '-'"
}

retry temporal operator cluster health
retry create_namespace
retry create_search_attributes
retry use_search_attributes
echo "Namespace $TEMPORAL_NAMESPACE is ready."
