/** Checks that several settings share. */
import Joi from 'joi';

/** @param nothing a word for the empty list, if an empty text means that the setting is absent */
export const list = (item: Joi.Schema, nothing = '') => listBy((text) => (text === nothing ? [] : partsOf(text)), item);

/** A list whose items may contain commas: it is comma-separated, or a list in JSON. */
export const listOrJson = (item: Joi.Schema) => listBy((text) => textsOf(text) ?? partsOf(text), item);

const listBy = (read: (text: string) => string[], item: Joi.Schema) =>
  Joi.string()
    .allow('')
    .custom((text: string, helpers) => {
      const { value, error } = Joi.array()
        .items(item)
        .validate(read(text), { errors: { wrap: { label: false } } });
      if (error === undefined) return value;
      // Items are named by their place: a list can contain secrets.
      const named = error.message.replace(/^\[(\d+)\]/, (_, index: string) => `item ${Number(index) + 1}`);
      return helpers.message({ custom: `{{#label}}: ${named}` });
    });

const partsOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** The texts of a list in JSON; null if it is anything else. */
function textsOf(text: string): string[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : null;
  } catch {
    return null;
  }
}

/** 0: never. */
export const days = Joi.number().integer().min(0).max(36_500);
