/** What is for sale. Rows come from migrations or from the operator's own SQL; the program only reads them. */
import { type CreationOptional, DataTypes, type InferAttributes, type InferCreationAttributes, Model, type Sequelize } from 'sequelize';
import { notFound } from '../errors.js';
import { isUuid } from '../rules/values/text.js';

export class CreditPackage extends Model<InferAttributes<CreditPackage>, InferCreationAttributes<CreditPackage>> {
  declare id: string;
  declare name: string;
  /** Thousandths of a credit. */
  declare credits: number;
  /** In the smallest unit of the currency. */
  declare price_cents: number;
  declare currency: string;
  declare is_active: CreationOptional<boolean>;

  /** Everything that can be bought now, the smallest first. */
  static forSale(): Promise<CreditPackage[]> {
    return CreditPackage.findAll({ where: { is_active: true }, order: ['credits', 'id'] });
  }

  /** @throws AppError 404 when nothing with this id is for sale */
  static async forSaleById(id: string): Promise<CreditPackage> {
    const row = isUuid(id) ? await CreditPackage.findOne({ where: { id, is_active: true } }) : null;
    if (row === null) throw notFound('Credit package');
    return row;
  }
}

export function initCreditPackage(sequelize: Sequelize): void {
  CreditPackage.init(
    {
      id: { type: DataTypes.UUID, primaryKey: true },
      name: DataTypes.TEXT,
      credits: DataTypes.BIGINT,
      price_cents: DataTypes.BIGINT,
      currency: DataTypes.TEXT,
      is_active: DataTypes.BOOLEAN,
    },
    { sequelize, tableName: 'credit_packages' },
  );
}
