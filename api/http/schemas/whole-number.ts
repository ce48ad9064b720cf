import Joi from 'joi';
import { rule } from './validation.js';

/** A whole number in a body. */
export const wholeNumber = (minimum: number, maximum: number) =>
  Joi.number()
    .unsafe()
    .custom(
      rule((value: number) =>
        Number.isInteger(value) && value >= minimum && value <= maximum
          ? null
          : `{field} must be a whole number from ${minimum} to ${maximum}`,
      ),
    )
    .meta({ type: 'integer', minimum, maximum });

const overlapDefault = 24;

/** How long the old key or secret works after a rotation. */
export const overlapHours = wholeNumber(0, 168)
  .empty(null)
  .default(overlapDefault)
  .description(`Hours for which the old key or secret keeps working. 0 ends it at once. Default: ${overlapDefault}`);
