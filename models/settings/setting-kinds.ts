/** Checks that several settings share. */
import Joi from 'joi';

/** @param nothing a word for the empty list, if an empty text means that the setting is absent */
export const list = (item: Joi.Schema, nothing = '') =>
  Joi.string()
    .allow('')
    .custom((text: string, helpers) => {
      const parts = text === nothing ? [] : text.split(',').map((part) => part.trim());
      const { value, error } = Joi.array()
        .items(item)
        .validate(parts.filter((part) => part !== ''));
      return error === undefined ? value : helpers.message({ custom: `{{#label}}: ${error.message}` });
    });

/** 0: never. */
export const days = Joi.number().integer().min(0).max(36_500);
