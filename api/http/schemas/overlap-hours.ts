import Joi from 'joi';
import { rule } from './validation.js';

const hoursMax = 168;

/** How long the old key or secret works after a rotation. */
export const overlapHours = Joi.number()
  .unsafe()
  .empty(null)
  .custom(
    rule((value: number) =>
      Number.isInteger(value) && value >= 0 && value <= hoursMax ? null : `{field} must be a whole number from 0 to ${hoursMax}`,
    ),
  )
  .default(24)
  .meta({ type: 'integer', minimum: 0, maximum: hoursMax });
