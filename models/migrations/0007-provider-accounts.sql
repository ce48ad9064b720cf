-- A provider's code is mapped to ours when its report is read; both are kept.
ALTER TABLE delivery_reports ADD COLUMN error_code text, ADD COLUMN is_permanent boolean NOT NULL DEFAULT false;
UPDATE delivery_reports SET error_code = provider_error_code; -- those of the sandbox, which speaks our codes
