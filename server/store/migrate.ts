// The server brings its database up to date before it listens. Prisma's own command would need a native engine that has to
// be downloaded; the same engine compiled to WebAssembly does the same work from node_modules and records what it applied in
// `_prisma_migrations`, exactly as `prisma migrate deploy` does.
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import type { SqlDriverAdapter, SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils'
import type * as Engine from '@prisma/schema-engine-wasm/schema_engine_bg'

// The engine insists on a schema even where it only applies SQL.
const NO_MODELS = 'datasource db {\n  provider = "sqlite"\n}\n'

type EngineModule = typeof Engine

const ENGINE = '@prisma/schema-engine-wasm/schema_engine_bg'
const EVERYTHING: Engine.SchemaFilter = { externalTables: [], externalEnums: [] }

/** The glue of the engine expects a bundler that links the .wasm file; in plain Node it is linked by hand, once. */
async function loadEngine(): Promise<EngineModule> {
  const script = createRequire(import.meta.url).resolve(ENGINE)
  const engine = (await import(pathToFileURL(script).href)) as EngineModule
  // What the engine calls when it panics; it names the reason, which the trap that follows does not.
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message(reason: string) {
        throw new Error(`the schema engine broke: ${reason}`)
      },
    },
  })
  const binary = await readFile(script.replace(/\.js$/, '.wasm'))
  const { instance } = await WebAssembly.instantiate(binary, { './schema_engine_bg.js': { ...engine } })
  engine.__wbg_set_wasm(instance.exports)
  const { __wbindgen_start: startEngine } = instance.exports
  if (typeof startEngine === 'function') startEngine()
  return engine
}

let loading: Promise<EngineModule> | undefined

type AdapterFactory = SqlMigrationAwareDriverAdapterFactory

/**
 * Runs `use` with an engine on `adapter` and closes every connection that the engine opened: it leaves them open, and it
 * locks the file. An error of the driver, which the engine knows only by number, becomes the cause.
 */
async function withEngine<T>(
  adapter: AdapterFactory,
  datamodel: [path: string, content: string],
  use: (engine: Engine.SchemaEngine) => Promise<T>,
): Promise<T> {
  loading ??= loadEngine()
  const { SchemaEngine } = await loading
  const connections: SqlDriverAdapter[] = []
  const remember = (connection: SqlDriverAdapter): SqlDriverAdapter => {
    connections.push(connection)
    return connection
  }
  const bound = bindMigrationAwareSqlAdapterFactory({
    adapterName: adapter.adapterName,
    provider: adapter.provider,
    connect: async () => remember(await adapter.connect()),
    connectToShadowDb: async () => {
      const connection = remember(await adapter.connectToShadowDb())
      // Here, and only here, the engine sends whole migrations as one statement, which the driver refuses.
      connection.executeRaw = async ({ sql }) => {
        await connection.executeScript(sql)
        return 0
      }
      return connection
    },
  })
  const engine = await SchemaEngine.new({ datamodels: [datamodel] }, () => {}, bound)
  try {
    return await use(engine)
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    const reference = /External error id#(\d+)/.exec(text)?.[1]
    const record = reference === undefined ? undefined : bound.errorRegistry.consumeError(Number(reference))
    if (!record) throw error
    const cause = record.error
    throw new Error(`${text.split('\n')[0]} (${cause instanceof Error ? cause.message : String(cause)})`, {
      cause,
    })
  } finally {
    engine.free()
    for (const connection of connections) await connection.dispose()
  }
}

function openAdapter(database: string | AdapterFactory): AdapterFactory {
  return typeof database === 'string' ? new PrismaBetterSqlite3({ url: `file:${database}` }) : database
}

/** Reads `migrationsDir/NAME/migration.sql` for every NAME, oldest first (names begin with a time stamp). */
async function readMigrations(migrationsDir: string): Promise<Engine.MigrationList> {
  const entries = await readdir(migrationsDir, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  const migrationDirectories = names.sort().map(async (name) => ({
    path: name,
    migrationFile: {
      path: 'migration.sql',
      content: {
        tag: 'ok' as const,
        value: await readFile(join(migrationsDir, name, 'migration.sql'), 'utf8'),
      },
    },
  }))
  return {
    baseDir: migrationsDir,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "sqlite"\n' },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(migrationDirectories),
  }
}

/**
 * The same adapter, whose connection has a transaction open until `commit`: a process that ends on the way leaves the database
 * as it was. Tables are made anew within it, so that keys between them are looked at by nobody.
 */
function inOneTransaction(adapter: AdapterFactory): { whole: AdapterFactory; commit(): Promise<void> } {
  const connections: SqlDriverAdapter[] = []
  const whole: AdapterFactory = {
    adapterName: adapter.adapterName,
    provider: adapter.provider,
    async connect() {
      const connection = await adapter.connect()
      connections.push(connection)
      await connection.executeScript('PRAGMA foreign_keys=OFF;\nBEGIN IMMEDIATE;')
      return connection
    },
    connectToShadowDb: () => adapter.connectToShadowDb(),
  }
  return {
    whole,
    async commit() {
      for (const connection of connections) await connection.executeScript('COMMIT')
    },
  }
}

/**
 * Applies every migration of `migrationsDir` that `database` (a file path, created when absent, or an adapter factory of
 * one's own) has not seen, in the order of their names, and answers the names that were applied now: all of them or, when one
 * fails or the process ends, none.
 *
 * Throws when a migration fails or an applied one has been changed since; the database is then left as it is.
 */
export async function applyMigrations(
  database: string | AdapterFactory,
  migrationsDir: string,
): Promise<string[]> {
  const migrationsList = await readMigrations(migrationsDir)
  const { whole, commit } = inOneTransaction(openAdapter(database))
  return withEngine(whole, ['none.prisma', NO_MODELS], async (engine) => {
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: EVERYTHING })
    await commit()
    return appliedMigrationNames
  })
}

/**
 * The SQL that turns what the migrations of `migrationsDir` build into what the schema file describes; undefined when both
 * are the same. The migrations are applied to an empty database in memory to see what they build.
 */
export async function pendingMigration(
  schemaFile: string,
  migrationsDir: string,
): Promise<string | undefined> {
  const content = await readFile(schemaFile, 'utf8')
  const migrationsList = await readMigrations(migrationsDir)
  const from: Engine.DiffTarget =
    migrationsList.migrationDirectories.length === 0
      ? { tag: 'empty' }
      : { tag: 'migrations', ...migrationsList }
  const memory = new PrismaBetterSqlite3({ url: ':memory:' })
  return withEngine(memory, [schemaFile, content], async (engine) => {
    const { stdout, exitCode } = await engine.diff({
      from,
      to: { tag: 'schemaDatamodel', files: [{ path: schemaFile, content }] },
      script: true,
      exitCode: true,
      filters: EVERYTHING,
    })
    return exitCode === 2 ? (stdout ?? '') : undefined
  })
}
