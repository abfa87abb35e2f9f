/** The figures of a real server, and the rules and the dashboard that refer to them. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { newOwner, sendFile } from './people.ts'
import { freePort, type RunningServer, startServer } from './startServer.ts'

const RULES = fileURLToPath(new URL('../deploy/prometheus/blindkeep.rules.yml', import.meta.url))
const DASHBOARD = fileURLToPath(new URL('../deploy/grafana/blindkeep.json', import.meta.url))
const CONTENT = randomBytes(100_000)

let server: RunningServer
let port: number
let backups: string
/** After a guest has sent a file. */
let text: string
let secrets: readonly string[]

before(async () => {
  port = await freePort()
  backups = await mkdtemp(join(tmpdir(), 'blindkeep-metrics-'))
  server = await startServer({ env: { METRICS_PORT: String(port) } })
  const owner = await newOwner(server.url)
  const link = await owner.createLink({})
  await sendFile(link.url, CONTENT)
  const drops = await owner.inbox()
  text = await figures()
  secrets = [owner.email, link.opaqueId, ...drops.map(({ dropId }) => dropId), owner.tokens().accountId]
})

after(async () => {
  await server.stop()
  await rm(backups, { recursive: true })
})

async function figures(): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
}

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

function samplesIn(given: string): readonly Sample[] {
  return [...given.matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: labelsIn(labels),
    value: Number(value),
  }))
}

function labelsIn(given: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...given.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]))
}

function sumOf(given: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const found = samplesIn(given).filter(
    (sample) => sample.name === name && Object.entries(labels).every(([each, value]) => sample.labels[each] === value),
  )
  return found.reduce((sum, { value }) => sum + value, 0)
}

describe('the metrics of a server that took a file', () => {
  it('count the chunk, its sync, its bytes and its receipt', () => {
    const seconds = 'blindkeep_bytes_duration_seconds_count'
    assert.equal(sumOf(text, seconds, { operation: 'write', outcome: 'ok' }), 1)
    assert.equal(sumOf(text, seconds, { operation: 'settle', outcome: 'ok' }), 1)
    assert.ok(sumOf(text, 'blindkeep_bytes_written_total') >= CONTENT.length)
    assert.ok(sumOf(text, 'blindkeep_http_received_bytes_total') >= CONTENT.length)
    assert.equal(sumOf(text, 'blindkeep_receipts_signed_total', { about: 'drop' }), 1)
    assert.equal(sumOf(text, 'blindkeep_receipt_log_length'), 1)
    assert.equal(sumOf(text, 'blindkeep_receipts_waiting'), 0)
    assert.ok(sumOf(text, 'blindkeep_store_transactions_total', { kind: 'write', outcome: 'ok' }) > 3)
  })

  it('name no person, no link and no file', () => {
    assert.equal(secrets.length, 4)
    for (const secret of secrets) {
      assert.ok(secret.length >= 16)
      assert.ok(!text.includes(secret))
    }
    // A label is a word: no id, no address, no path.
    for (const { name, labels } of samplesIn(text))
      for (const [label, value] of Object.entries(labels))
        assert.match(value, /^[A-Za-z0-9_.+ -]{0,64}$/, `${name} ${label}`)
  })

  it('say when a backup was completed, and that a file is damaged', async () => {
    assert.equal(sumOf(text, 'blindkeep_backup_last_success_timestamp_seconds'), 0)
    const startedAt = Date.now() / 1000
    const backup = await server.command(['backup', backups])
    assert.equal(backup.status, 0, backup.stderr)
    assert.ok(sumOf(await figures(), 'blindkeep_backup_last_success_timestamp_seconds') >= startedAt - 1)

    assert.equal(sumOf(text, 'blindkeep_objects', { state: 'damaged' }), 0)
    damage(join(server.dataDir, 'blobs'))
    const scrub = await server.command(['scrub'])
    assert.equal(scrub.status, 1, scrub.stderr)
    assert.equal(sumOf(await figures(), 'blindkeep_objects', { state: 'damaged' }), 1)
  })
})

/** Flips a byte of the only large file. */
function damage(directory: string): void {
  const paths = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).length >= CONTENT.length)
  assert.equal(paths.length, 1)
  for (const path of paths) {
    const bytes = readFileSync(path)
    bytes[1000] = (bytes[1000] ?? 0) ^ 1
    writeFileSync(path, bytes)
  }
}

/** Every metric with its labels that an expression names. */
function selectorsIn(expression: string): readonly { readonly name: string; readonly matchers: string }[] {
  return [...expression.matchAll(/\b((?:blindkeep|nodejs|process)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', matchers = '']) => ({ name, matchers }),
  )
}

/** Whether the server has declared the metric; those of a histogram have endings. */
function isDeclared(name: string): boolean {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, metric = '', type]) => [metric, type]))
  return types.has(name) || types.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram'
}

/** Prometheus adds it. */
const ADDED_LABELS = ['instance']
/** Of figures that this server has not had yet. */
const LATER_LABELS = ['code', 'state', 'level', 'event']

function assertKnown(expressions: readonly string[]): void {
  const selectors = expressions.flatMap(selectorsIn)
  assert.ok(selectors.length > 10)
  const labels = new Set(samplesIn(text).flatMap((sample) => Object.keys(sample.labels)))
  for (const { name, matchers } of selectors) {
    assert.ok(isDeclared(name), `the server has no ${name}`)
    for (const [, label = ''] of matchers.matchAll(/([a-z_]+)\s*(?:=~|!=|!~|=)/g))
      assert.ok(labels.has(label) || ADDED_LABELS.includes(label), `no metric has the label ${label}`)
  }
  for (const expression of expressions)
    for (const [, list = ''] of expression.matchAll(/\bby \(([^)]*)\)/g))
      for (const label of list.split(',').map((each) => each.trim()))
        assert.ok([...labels, ...ADDED_LABELS, ...LATER_LABELS].includes(label), `no metric has the label ${label}`)
}

/** The sources of all expressions below `node`, in the order of the file. */
function expressionsBelow(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, value]) =>
    name === 'expr' && typeof value === 'string' ? [value] : expressionsBelow(value),
  )
}

describe('deploy/prometheus/blindkeep.rules.yml', () => {
  it('alerts on metrics that the server has', () => {
    assertKnown(expressionsBelow(parse(readFileSync(RULES, 'utf8'))))
  })

  it('selects only values of labels that the server has, but for failures', () => {
    for (const { name, matchers } of expressionsBelow(parse(readFileSync(RULES, 'utf8'))).flatMap(selectorsIn)) {
      const wanted = Object.entries(labelsIn(matchers)).filter(([, value]) => value !== '5xx')
      if (wanted.length === 0 || matchers.includes('!=')) continue
      const isThere = samplesIn(text).some(
        (sample) => sample.name === name && wanted.every(([label, value]) => sample.labels[label] === value),
      )
      assert.ok(isThere, `${name}{${matchers}}`)
    }
  })

  it('is what promtool accepts', (test) => {
    if (!hasPromtool()) return test.skip('promtool is not installed (Debian: apt install prometheus)')
    execFileSync('promtool', ['check', 'rules', RULES], { stdio: 'pipe' })
    execFileSync('promtool', ['check', 'metrics', '--extended'], { input: text, stdio: 'pipe' })
  })
})

function hasPromtool(): boolean {
  return spawnSync('promtool', ['--version']).error === undefined
}

describe('deploy/grafana/blindkeep.json', () => {
  it('shows metrics that the server has, each panel at a place of its own', () => {
    const dashboard = JSON.parse(readFileSync(DASHBOARD, 'utf8'))
    assertKnown(expressionsBelow(dashboard))
    const ids = dashboard.panels.map(({ id }: { readonly id: number }) => id)
    assert.equal(new Set(ids).size, ids.length)
  })

  it('shows every metric of ours', () => {
    const shown = expressionsBelow(JSON.parse(readFileSync(DASHBOARD, 'utf8'))).join('\n')
    const own = [...text.matchAll(/^# TYPE (blindkeep_\S+)/gm)].map(([, name = '']) => name)
    assert.ok(own.length > 25)
    assert.deepEqual(
      own.filter((name) => !shown.includes(name)),
      [],
    )
  })
})
