/** The credit packages for sale. Migrations or the operator's own SQL write the rows. The program only reads them. */
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
  /** All packages for sale now, the smallest first. */
  static forSale(): Promise<CreditPackage[]> {
    return CreditPackage.findAll({ where: { is_active: true }, order: ['credits', 'id'] });
  }

  /** @throws AppError not_found if no package with this id is for sale */
  static async forSaleById(id: string): Promise<CreditPackage> {
    const row = isUuid(id) ? await CreditPackage.findOne({ where: { id, is_active: true } }) : null;
    if (row === null) throw notFound('Credit package');
    return row;
  }
}
