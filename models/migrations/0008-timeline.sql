-- What the timeline of a message tells of its reports: why one was not applied, and how often it came again.
ALTER TABLE delivery_reports
  ADD COLUMN reason  text CHECK (reason IN ('repeats_status', 'backwards', 'not_on_channel')),
  ADD COLUMN repeats integer NOT NULL DEFAULT 0;
