-- How many messages a workspace sent by MCP on its last day of doing so, UTC: one row for each workspace, so that the table stays small.
CREATE TABLE mcp_sends (
  workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
  day          date NOT NULL,
  count        integer NOT NULL CHECK (count >= 0)
) WITH (fillfactor = 50);
