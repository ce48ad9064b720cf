import { UniqueConstraintError } from 'sequelize';
import { emailExists } from '../../errors.js';

/**
 * Runs a transaction that gives a workspace its address. Of two concurrent calls with one address, the index lets only one succeed.
 * @throws AppError email_exists if another workspace has the address
 */
export async function refuseTakenEmail<Result>(transaction: () => Promise<Result>): Promise<Result> {
  try {
    return await transaction();
  } catch (error) {
    throw error instanceof UniqueConstraintError ? emailExists() : error;
  }
}
