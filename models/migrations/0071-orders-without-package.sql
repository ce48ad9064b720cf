-- An operator can credit a payment whose order is lost, with any number of credits.
ALTER TABLE credit_orders ALTER COLUMN package_id DROP NOT NULL;
