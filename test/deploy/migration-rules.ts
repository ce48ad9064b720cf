/** What a migration must not do while processes of the former version use the tables. */

/** Up to here, migrations are older than the first version that is upgraded without a pause. */
const lastFreeMigration = '0051-charge-transfers.sql';

const anyTable = String.raw`(?:IF (?:NOT )?EXISTS )?(?:ONLY )?(\w+)`;
/** Statements that take away what a former version uses. They are allowed with the comment `-- unused since <version>`. */
const removals: readonly [RegExp, string][] = [
  [/\bDROP TABLE\b/, 'drops a table'],
  [/\bDROP COLUMN\b/, 'drops a column'],
  [/\bRENAME\b/, 'renames'],
];
/** Statements that a former version cannot live with, or that lock a table for as long as it is read. The table may be a new one. */
const blockers: readonly [RegExp, string][] = [
  [new RegExp(String.raw`\bALTER TABLE ${anyTable}\b[^;]*\bTYPE\b`), 'changes the type of a column'],
  [new RegExp(String.raw`\bALTER TABLE ${anyTable}\b[^;]*\bSET NOT NULL\b`), 'forbids null in a column'],
  [
    new RegExp(String.raw`\bALTER TABLE ${anyTable}\b[^;]*\bADD COLUMN (?:(?!DEFAULT)[^,;])*\bNOT NULL(?!(?:(?!,|;).)*\bDEFAULT\b)`),
    'adds a column without a default that must not be null',
  ],
  [
    new RegExp(String.raw`\bALTER TABLE ${anyTable}\b[^;]*\bADD (?:CONSTRAINT \w+ )?(?:CHECK|FOREIGN KEY)\b(?![^;]*\bNOT VALID\b)`),
    'checks a constraint without NOT VALID',
  ],
  [
    new RegExp(String.raw`\bCREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)(?:IF NOT EXISTS )?\w+ ON ${anyTable}`),
    'builds an index that stops writes',
  ],
];

/** The faults of a migration; none for those from before the first upgrade without a pause. */
export function faultsOfMigration(name: string, sql: string): string[] {
  if (name <= lastFreeMigration) return [];
  const statements = sql.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ');
  const isCleared = /^-- unused since \S/m.test(sql);
  const created = new Set([...statements.matchAll(new RegExp(String.raw`\bCREATE TABLE ${anyTable}`, 'g'))].map(([, table]) => table));
  return [
    ...removals.filter(([pattern]) => !isCleared && pattern.test(statements)).map(([, fault]) => fault),
    ...blockers
      .filter(([pattern]) => statements.split(';').some((one) => isOfOldTable(pattern.exec(one), created)))
      .map(([, fault]) => fault),
  ];
}

const isOfOldTable = (match: RegExpExecArray | null, created: ReadonlySet<string | undefined>) => match !== null && !created.has(match[1]);
