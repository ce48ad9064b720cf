import Joi from 'joi';

/** The sums of messages that the overview and the usage report show. */
export const figures = {
  messages: Joi.number().integer().required(),
  delivered: Joi.number().integer().required().description('Includes messages that were read'),
  failed: Joi.number().integer().required(),
  credits: Joi.number().required().description('Credits debited minus refunds'),
};
