// What every command needs before its own work: packages and a current build. Without dependencies,
// because it runs before there are any. Each step looks at a stamp first, so that a second start takes no time.
import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export const root = resolve(import.meta.dirname, '..')
const stamps = join(root, 'node_modules/.penstock')
const lock = join(root, 'dist/.lock')

/** Says one line of progress. */
export const say = (line) => process.stdout.write(`penstock: ${line}\n`)

/** Ends the process with one line that says what to do. */
export function stop(line) {
  process.stderr.write(`penstock: ${line}\n`)
  process.exit(1)
}

/** Is there a program of this name? */
export const onPath = (name) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => folder && existsSync(join(folder, name)))

/**
 * Runs a command in the project folder and answers `{ status, output, ms }`. A signal to this process ends the command first.
 * `show` passes its output on as it comes.
 */
export function run(command, args, { env = {}, show = false } = {}) {
  return new Promise((done) => {
    const began = performance.now()
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
    })
    const chunks = []
    child.stdout?.on('data', (chunk) => chunks.push(chunk))
    child.stderr?.on('data', (chunk) => chunks.push(chunk))
    const interrupt = (signal) => {
      child.kill(signal)
      child.once('close', () => process.exit(signal === 'SIGINT' ? 130 : 143))
    }
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
    const finish = (status, extra = '') => {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
      const output = Buffer.concat(chunks).toString('utf8') + extra
      done({ status, output, ms: performance.now() - began })
    }
    child.once('error', (error) => finish(127, String(error)))
    child.once('close', (code) => finish(code ?? 1))
  })
}

/** A program of an installed package: `run(...tool('next'), …)` needs no shell and no npx. */
export const tool = (name) => join(root, 'node_modules/.bin', name)

/** Hash of what the named files and folders contain (tests aside), and of the Node that would run it. */
export function fingerprint(paths) {
  const hash = createHash('sha256').update(
    `${process.versions.modules} ${process.platform} ${process.arch}\n`,
  )
  const add = (path) => {
    const full = join(root, path)
    if (!existsSync(full)) return
    if (statSync(full).isDirectory()) {
      for (const name of readdirSync(full).sort()) if (!name.startsWith('.')) add(`${path}/${name}`)
    } else if (!/\.test\.tsx?$/.test(path)) {
      hash.update(`${path}\n`).update(readFileSync(full))
    }
  }
  for (const path of paths) add(path)
  return hash.digest('hex')
}

const readStamp = (name) => {
  try {
    return readFileSync(join(stamps, name), 'utf8')
  } catch {
    return undefined
  }
}

/** Does `work` when the fingerprint differs from the one of the last time that it succeeded, or when `missing`. */
export async function whenChanged(name, print, missing, work) {
  if (!missing && readStamp(name) === print) return
  rmSync(join(stamps, name), { force: true })
  await work()
  mkdirSync(stamps, { recursive: true })
  writeFileSync(join(stamps, name), print)
}

export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19))
    stop(`Node 20.19 or newer is needed, this is ${process.version}`)
  if (major < 22) say(`Node ${process.versions.node} works; 22 or newer is recommended`)
}

const alive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Runs `work` alone in this checkout. A lock whose owner is gone is taken over. */
export async function alone(work) {
  mkdirSync(join(root, 'dist'), { recursive: true })
  const token = `${process.pid} ${randomUUID()}`
  const owner = join(lock, 'owner')
  const read = (file) => {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      return ''
    }
  }
  for (let told = false; ;) {
    try {
      mkdirSync(lock)
      writeFileSync(owner, token)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const holder = read(owner)
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    // an owner that never wrote its name died between the two calls above
    if (holder ? !alive(Number.parseInt(holder)) : age > 5_000) {
      const aside = `${lock}-${randomUUID()}`
      try {
        renameSync(lock, aside)
        // someone else was quicker and this is their fresh lock: give it back
        if (read(join(aside, 'owner')) !== holder) renameSync(aside, lock)
        else rmSync(aside, { recursive: true })
      } catch {
        // gone already
      }
      continue
    }
    if (!told) say('another command prepares this folder; waiting for it')
    told = true
    await pause(200)
  }
  const release = () => {
    if (read(owner) === token) rmSync(lock, { recursive: true, force: true })
  }
  process.once('exit', release)
  try {
    return await work()
  } finally {
    release()
    process.off('exit', release)
  }
}

/** Is what lies in node_modules what the lock file asks for? (Someone may have run npm themselves.) */
function installedByHand() {
  try {
    const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
    const found = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8')).packages
    return Object.entries(wanted).every(
      ([path, entry]) =>
        path === '' || entry.optional || entry.link || found[path]?.version === entry.version,
    )
  } catch {
    return false
  }
}

const sqliteLoads = async () => {
  const probe = "new (require('better-sqlite3'))(':memory:').close()"
  return (await run(process.execPath, ['-e', probe])).status === 0
}

/** Installs the packages of the lock file unless they are there. */
export async function install() {
  const missing = !existsSync(join(root, 'node_modules'))
  await whenChanged('install', fingerprint(['package.json', 'package-lock.json']), missing, async () => {
    const tools = ['python3', 'make', 'g++'].filter((name) => !onPath(name))
    if (!installedByHand()) {
      say('installing packages')
      // NODE_ENV=production would leave out what the build needs
      const env = { NODE_ENV: '', JOBS: 'max' }
      const flags = ['--include=dev', '--no-audit', '--no-fund']
      // npm ci throws everything away first, and compiling SQLite again takes minutes: what is there is brought up to date
      // instead, without touching the lock file, and only when that fails is it done from nothing
      let npm = { status: 1, output: '' }
      if (existsSync(join(root, 'node_modules/.package-lock.json'))) {
        npm = await run('npm', ['install', '--no-save', ...flags], { env })
      }
      if (npm.status !== 0) npm = await run('npm', ['ci', ...flags], { env })
      if (npm.status !== 0) {
        process.stderr.write(npm.output)
        stop(
          tools.length
            ? `npm ci failed; better-sqlite3 is compiled where no ready binary can be fetched, and ${tools.join(', ')} cannot be found`
            : 'npm ci failed',
        )
      }
    }
    if (!(await sqliteLoads())) {
      say('compiling better-sqlite3 for this Node')
      const rebuild = await run('npm', ['rebuild', 'better-sqlite3'])
      if (!(await sqliteLoads())) {
        process.stderr.write(rebuild.output)
        stop(
          tools.length
            ? `better-sqlite3 cannot be compiled: install ${tools.join(', ')}`
            : 'better-sqlite3 does not load',
        )
      }
    }
  })
}

const CONFIGURATION = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'scripts/build.mjs',
  'scripts/bundle.mjs',
]
const PAGES = ['app', 'components', 'core', 'tasks', 'sdk', 'public', 'next.config.mjs', 'postcss.config.mjs']
const SERVER = ['server', 'core', 'tasks', 'sdk', 'cli']

/** Builds the pages (.next) and the server (dist) when their sources changed. Answers what went wrong, if anything did. */
export async function build() {
  let failure
  const part = (name, label, paths, missing) =>
    whenChanged(`build-${name}`, fingerprint([...CONFIGURATION, ...paths]), missing, async () => {
      say(`building the ${label}`)
      const { status, output, ms } = await run(process.execPath, ['scripts/build.mjs', name])
      if (status !== 0) {
        failure = output
        throw new Error(`building the ${label} failed`)
      }
      say(`built the ${label} in ${(ms / 1000).toFixed(1)} s`)
    })
  try {
    await part('server', 'server', SERVER, !existsSync(join(root, 'dist/main.mjs')))
    await part('pages', 'pages', PAGES, !existsSync(join(root, '.next/BUILD_ID')))
  } catch (error) {
    return `${failure ?? ''}${error.message}`
  }
  return undefined
}
