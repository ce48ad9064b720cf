/** Model classes from the columns of their tables. */
import { type InitOptions, Model, type ModelAttributes, type Sequelize } from 'sequelize';
import type { Columns, NewRowOf, RowOf } from './columns.js';

/** A base class of models whose rows have these columns. */
export type ModelOf<C extends Columns, Base> = (abstract new () => Model<RowOf<C>, NewRowOf<C>> & RowOf<C>) &
  Omit<Base, 'prototype'> & { readonly columns: C };

/** The base class of a model with these columns. */
export function modelOf<C extends Columns>(columns: C): ModelOf<C, typeof Model> {
  abstract class WithColumns extends Model {
    static readonly columns = columns;
  }
  return WithColumns as unknown as ModelOf<C, typeof Model>;
}

interface TableModel {
  readonly columns: Columns;
}

/** `init` of a model. Its type in Sequelize is generic over the attributes of each model. */
interface Initialised {
  init(attributes: ModelAttributes, options: InitOptions): void;
}

/** Binds a model to its table. The first column is the primary key unless `keys` names others. */
export function bindTable(
  model: TableModel,
  { keys = [Object.keys(model.columns)[0] ?? ''], ...options }: InitOptions & { sequelize: Sequelize; tableName: string; keys?: string[] },
): void {
  const attributes = Object.entries(model.columns).map(([name, { dataType }]) => [
    name,
    keys.includes(name) ? { type: dataType, primaryKey: true } : dataType,
  ]);
  (model as unknown as Initialised).init(Object.fromEntries(attributes) as ModelAttributes, options);
}
