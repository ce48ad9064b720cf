-- The last slot of an account, and the limit for which it was reserved. It ends earlier when the limit is raised. Null: the previous version
-- reserved it, and its length stays.
ALTER TABLE provider_pace ADD COLUMN last_units double precision, ADD COLUMN last_per_second double precision;
