/** What is for sale. Rows come from migrations or from the operator's own SQL; the program only reads them. */
import { column, type Columns, withDefault } from './columns.js';
import { modelOf } from './model-of.js';
import { notFound } from '../errors.js';
import { isUuid } from '../rules/values/text.js';

const creditPackageColumns = {
  id: column.uuid(),
  name: column.text(),
  /** Thousandths of a credit. */
  credits: column.bigint(),
  /** In the smallest unit of the currency. */
  price_cents: column.bigint(),
  currency: column.text(),
  is_active: withDefault(column.boolean()),
} satisfies Columns;

export class CreditPackage extends modelOf(creditPackageColumns) {
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
