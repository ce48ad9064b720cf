/** Columns of tables. One declaration of a table gives its row type, its model, and the column lists of SQL statements. */
import { DataTypes, type ModelAttributes } from 'sequelize';

/** A column whose rows have this value. `Given` is false if a new row may omit it, because PostgreSQL fills it in. */
export interface Column<Value = unknown, Given extends boolean = boolean> {
  /** The type in PostgreSQL. */
  readonly type: string;
  readonly dataType: ModelAttributes[string];
  readonly isNullable: boolean;
  readonly isGiven: Given;
  /** Of a message: an erasure empties it. Of an API key or a webhook: the closing of the account does. */
  readonly isPersonal: boolean;
  /** For the type of the value only; never set. */
  readonly value?: Value;
}

export type Columns = Readonly<Record<string, Column>>;
type ValueOf<C> = C extends Column<infer Value> ? Value : never;
type DefaultsOf<C extends Columns> = { [Name in keyof C]: C[Name] extends Column<unknown, true> ? never : Name }[keyof C];

/** A row of a table with these columns. */
export type RowOf<C extends Columns> = { -readonly [Name in keyof C]: ValueOf<C[Name]> };
/** A new row. Columns with a default may be omitted. */
export type NewRowOf<C extends Columns> = Omit<RowOf<C>, DefaultsOf<C>> & Partial<Pick<RowOf<C>, DefaultsOf<C>>>;
/** The columns that a new row must have. */
export type GivenOf<C extends Columns> = Omit<C, DefaultsOf<C>>;

const of = <Value>(type: string, dataType: ModelAttributes[string]): Column<Value, true> => ({
  type,
  dataType,
  isNullable: false,
  isGiven: true,
  isPersonal: false,
});

/** The types of columns. A type argument narrows the value where PostgreSQL cannot. */
export const column = {
  uuid: () => of<string>('uuid', DataTypes.UUID),
  uuids: () => of<string[]>('uuid[]', DataTypes.ARRAY(DataTypes.UUID)),
  text: <Value extends string = string>() => of<Value>('text', DataTypes.TEXT),
  texts: <Value extends string = string>() => of<Value[]>('text[]', DataTypes.ARRAY(DataTypes.TEXT)),
  json: <Value>() => of<Value>('json', DataTypes.JSON),
  boolean: () => of<boolean>('boolean', DataTypes.BOOLEAN),
  smallint: () => of<number>('smallint', DataTypes.SMALLINT),
  integer: () => of<number>('integer', DataTypes.INTEGER),
  integers: () => of<number[]>('integer[]', DataTypes.ARRAY(DataTypes.INTEGER)),
  /** Read as a number; see database.ts. */
  bigint: () => of<number>('bigint', DataTypes.BIGINT),
  double: () => of<number>('double precision', DataTypes.DOUBLE),
  timestamp: () => of<Date>('timestamp with time zone', DataTypes.DATE),
  bytes: () => of<Buffer>('bytea', DataTypes.BLOB),
  /** The number of a transaction. */
  transaction: () => of<string>('xid8', DataTypes.TEXT),
};

export const nullable = <Value, Given extends boolean>(inner: Column<Value, Given>): Column<Value | null, Given> => ({
  ...(inner as Column<Value | null, Given>),
  isNullable: true,
});

/** A column that PostgreSQL fills in if a new row omits it: with a default, or null. */
export const withDefault = <Value>(inner: Column<Value>): Column<Value, false> => ({ ...inner, isGiven: false });

/**
 * A column of a message with data of a person, which an erasure removes; or of an API key or a webhook, which the closing of the account removes
 * (`forget-owner.ts`). The operations list the columns of other tables.
 */
export const personal = <Value, Given extends boolean>(inner: Column<Value, Given>): Column<Value, Given> => ({
  ...inner,
  isPersonal: true,
});

/** SQL: the quoted names of columns. @param table the alias of their table, if others have columns of the same name */
export const namesOf = (columns: Columns, table?: string): string =>
  Object.keys(columns)
    .map((name) => (table === undefined ? `"${name}"` : `${table}."${name}"`))
    .join(', ');

/** SQL: rows of a JSON parameter with these columns. Bytes are written in hexadecimal; see `hexOf`. */
export const recordset = (parameter: string, alias: string, columns: Columns): string => {
  const typed = Object.entries(columns).map(([name, { type }]) => `"${name}" ${type}`);
  return `json_to_recordset(${parameter}::json) AS ${alias} (${typed.join(', ')})`;
};

/** Bytes in the form that PostgreSQL reads from JSON. */
export const hexOf = (value: Buffer | null): string | null => value && `\\x${value.toString('hex')}`;

const filtered = (columns: Columns, isKept: (name: string, column: Column) => boolean): Columns =>
  Object.fromEntries(Object.entries(columns).filter(([name, column]) => isKept(name, column)));

/** The columns of a table without the named ones. */
export const without = <C extends Columns, Name extends keyof C>(columns: C, ...names: Name[]): Omit<C, Name> =>
  filtered(columns, (name) => !names.includes(name as Name)) as Omit<C, Name>;

/** The named columns of a table. */
export const only = <C extends Columns, Name extends keyof C>(columns: C, ...names: Name[]): Pick<C, Name> =>
  filtered(columns, (name) => names.includes(name as Name)) as Pick<C, Name>;

/** The columns that a new row must have. */
export const givenIn = <C extends Columns>(columns: C): GivenOf<C> => filtered(columns, (_, { isGiven }) => isGiven) as GivenOf<C>;

/** The columns that a new row may omit. */
export const omissibleIn = <C extends Columns>(columns: C): Pick<C, DefaultsOf<C>> =>
  filtered(columns, (_, { isGiven }) => !isGiven) as Pick<C, DefaultsOf<C>>;

/** A value of null for each column. */
export const nullsOf = <C extends Columns>(columns: C): { readonly [Name in keyof C]: null } =>
  Object.fromEntries(Object.keys(columns).map((name) => [name, null])) as { readonly [Name in keyof C]: null };
