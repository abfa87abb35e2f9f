/** Each alert of deploy/prometheus fires once, from a troubled server's figures. Prometheus reads the rules. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse, stringify } from 'yaml'

const RULES = fileURLToPath(new URL('./prometheus/blindkeep.rules.yml', import.meta.url))
const SECONDS = { s: 1, m: 60, h: 3600 } as const
const DAY = 86_400

interface Trouble {
  /** Series with their values every minute, in the notation of `promtool test rules`. */
  readonly series: Readonly<Record<string, string>>
  /** When the alert fires first, and a moment before at which it does not yet. */
  readonly fires: string
  readonly quiet: string
}

const floor = { blindkeep_free_space_floor_bytes: '1000x2000' }
const TROUBLES: Readonly<Record<string, Trouble>> = {
  BlindkeepDown: { series: { 'up{job="blindkeep"}': '1 0x9' }, quiet: '1m', fires: '2m' },
  BlindkeepNotReady: { series: { blindkeep_ready: '1 0x9' }, quiet: '1m', fires: '2m' },
  BlindkeepDatabaseSetBack: { series: { blindkeep_database_set_back: '0 1x9' }, quiet: '0m', fires: '1m' },
  BlindkeepDiskBelowFloor: { series: { ...floor, blindkeep_free_bytes: '1000 999x9' }, quiet: '1m', fires: '2m' },
  // In 6 hours 720 bytes of 5,000.
  BlindkeepDiskFillsSoon: { series: { ...floor, blindkeep_free_bytes: '5000-2x600' }, quiet: '410m', fires: '430m' },
  BlindkeepDamageFound: { series: { 'blindkeep_objects{state="damaged"}': '0 1x9' }, quiet: '0m', fires: '1m' },
  BlindkeepUnreadable: { series: { 'blindkeep_objects{state="unreadable"}': '0 1x9' }, quiet: '2m', fires: '4m' },
  BlindkeepSyncRefused: {
    series: { 'blindkeep_bytes_duration_seconds_count{operation="settle",outcome="sync_failed"}': '0 0 1x9' },
    quiet: '1m',
    fires: '2m',
  },
  BlindkeepClockGoneBack: { series: { blindkeep_receipt_log_ahead_seconds: '60 61x9' }, quiet: '1m', fires: '2m' },
  BlindkeepReceiptsQueue: { series: { blindkeep_receipts_waiting: '100 101x30' }, quiet: '9m', fires: '12m' },
  BlindkeepAccountsFull: {
    series: {
      'blindkeep_accounts_by_quota{state="hard_exceeded"}': '0 1x100',
      'blindkeep_accounts_by_quota{state="grace_expired"}': '0x101',
    },
    quiet: '60m',
    fires: '62m',
  },
  // By half and more than 100 GB.
  BlindkeepBytesGrowFast: {
    series: { blindkeep_stored_bytes: '200000000000x1440 300000000001x100' },
    quiet: `${DAY + 3600}s`,
    fires: `${DAY + 3720}s`,
  },
  BlindkeepBackupOverdue: {
    series: { blindkeep_backup_last_success_timestamp_seconds: '0x3000' },
    quiet: `${2 * DAY}s`,
    fires: `${2 * DAY + 3700}s`,
  },
  BlindkeepSweepOverdue: {
    series: { 'blindkeep_job_last_success_timestamp_seconds{task="sweep"}': '0x100' },
    quiet: '60m',
    fires: '72m',
  },
  BlindkeepRequestsFail: {
    series: { 'blindkeep_http_request_duration_seconds_count{status="5xx",operation="quota"}': '0+10x30' },
    quiet: '5m',
    fires: '12m',
  },
  BlindkeepEventLoopLate: { series: { nodejs_eventloop_lag_p99_seconds: '0.5 0.6x30' }, quiet: '10m', fires: '12m' },
}

interface Alert {
  readonly alert: string
  readonly for?: string
  readonly annotations: Readonly<Record<string, string>>
}

const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: readonly { readonly rules: readonly Alert[] }[] }
const alerts = groups.flatMap(({ rules }) => rules)

describe('the alerts of deploy/prometheus', () => {
  it('have a trouble each in this test', () => {
    assert.deepEqual(
      alerts.map(({ alert }) => alert),
      Object.keys(TROUBLES),
    )
  })

  it('say what is wrong and what to do', () => {
    for (const { annotations } of alerts) assert.deepEqual(Object.keys(annotations), ['summary', 'action'])
  })

  it('fire within a minute for a server that is down, has no database, no room, damage or a wrong clock', () => {
    const urgent = ['Down', 'NotReady', 'DatabaseSetBack', 'DiskBelowFloor', 'DamageFound', 'ClockGoneBack']
    const waits = alerts.filter(({ alert }) => urgent.includes(alert.replace('Blindkeep', '')))
    assert.equal(waits.length, urgent.length)
    // A look every 15 seconds for the figures, and one for the rules.
    for (const { alert, for: wait = '0s' } of waits) assert.ok(secondsOf(wait) + 30 <= 60, `${alert} waits ${wait}`)
  })

  it('fire from the figures, and not before', async (test) => {
    if (spawnSync('promtool', ['--version']).error !== undefined)
      return test.skip('promtool is not installed (Debian: apt install prometheus)')
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-alerts-'))
    try {
      const file = join(directory, 'alerts.yml')
      await writeFile(file, stringify({ rule_files: [RULES], evaluation_interval: '1m', tests: testsOf(TROUBLES) }))
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
      assert.equal(status, 0, stdout + stderr)
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})

function secondsOf(duration: string): number {
  const [, amount = '', unit = ''] = /^(\d+)([smh])$/.exec(duration) ?? assert.fail(duration)
  return Number(amount) * SECONDS[unit as keyof typeof SECONDS]
}

function testsOf(troubles: typeof TROUBLES): readonly unknown[] {
  return Object.entries(troubles).map(([name, { series, quiet, fires }]) => {
    const expr = `count by (alertname) (ALERTS{alertname="${name}",alertstate="firing"})`
    return {
      name,
      interval: '1m',
      input_series: Object.entries(series).map(([each, values]) => ({ series: each, values })),
      promql_expr_test: [
        { eval_time: quiet, expr, exp_samples: [] },
        { eval_time: fires, expr, exp_samples: [{ labels: `{alertname="${name}"}`, value: 1 }] },
      ],
    }
  })
}
