import Database from 'better-sqlite3'

type Column = {
  readonly name: string
  readonly type: string
  readonly notnull: 0 | 1
  readonly dflt_value: string | null
}

const HEAD = `// Written by \`npm run generate\` from the tables that the migrations build. Do not edit: change prisma/schema.prisma.
import type { ColumnType, Generated } from 'kysely'

/** SQLite answers 0 or 1, PostgreSQL a boolean; both take a boolean. */
export type Flag = ColumnType<boolean | number, boolean, boolean>
`

/**
 * The source text of the types of all tables of a database, in order of name: what Kysely checks queries against.
 * @param file a database with all migrations applied
 */
export function tableTypes(file: string): string {
  const db = new Database(file, { readonly: true })
  try {
    const tables = db
      .prepare<[], string>(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
           AND name != '_prisma_migrations' ORDER BY name`,
      )
      .pluck()
      .all()
    const columns = db.prepare<[string], Column>(
      'SELECT name, type, "notnull", dflt_value FROM pragma_table_info(?) ORDER BY cid',
    )
    const numbered = db
      .prepare<[string], number>(
        `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ? AND sql LIKE '%AUTOINCREMENT%'`,
      )
      .pluck()
    const bodies = tables.map((table) => {
      const lines = columns
        .all(table)
        .map((column) => `    ${column.name}: ${typeOf(column, numbered.get(table) === 1)}\n`)
      return `  ${table}: {\n${lines.join('')}  }\n`
    })
    return `${HEAD}\nexport type Tables = {\n${bodies.join('')}}\n`
  } finally {
    db.close()
  }
}

function typeOf({ name, type, notnull, dflt_value: fallback }: Column, numbered: boolean): string {
  const plain = type === 'TEXT' || type === 'DATETIME' ? 'string' : type === 'BOOLEAN' ? 'Flag' : 'number'
  const nullable = notnull === 1 ? plain : `${plain} | null`
  if (plain === 'Flag') return nullable
  return fallback !== null || (numbered && name === 'id') ? `Generated<${nullable}>` : nullable
}
