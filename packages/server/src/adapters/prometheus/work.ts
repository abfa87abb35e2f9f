import { Histogram } from 'prom-client'
import type { Keyring } from '../../ports/keyring.ts'
import type { Log } from '../../ports/log.ts'
import type { Node } from '../../ports/node.ts'
import { createTally, type Figures, type Labels } from './figures.ts'

/** The same keyring. The receipts that it signs are counted and timed. */
export function meterKeyring(keyring: Keyring, { registry, total }: Figures): Keyring {
  const seconds = new Histogram({
    name: 'blindkeep_receipt_batch_signing_seconds',
    help: 'Time that signing a batch of receipts took.',
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers: [registry],
  })
  const signed = createTally()
  total(
    {
      name: 'blindkeep_receipts_signed_total',
      help: 'Receipts that were signed. about: drop for a landed drop, asset for a blob of an asset.',
      labelNames: ['about'],
    },
    () => signed.reading('about'),
  )
  return {
    ...keyring,
    openAttestationKey(key) {
      const signer = keyring.openAttestationKey(key)
      return {
        ...signer,
        async receipts(payloads, keyId) {
          const begunAt = performance.now()
          const receipts = await signer.receipts(payloads, keyId)
          seconds.observe((performance.now() - begunAt) / 1000)
          for (const { drop_id } of payloads) signed.add(drop_id === undefined ? 'asset' : 'drop')
          return receipts
        },
      }
    },
  }
}

/** Counts and times the jobs in its turn. The label is not `job`, which Prometheus uses itself. */
export function meterNode(node: Node, { total, gauge }: Figures): Node {
  const runs = { ok: createTally(), failed: createTally() }
  const seconds = createTally()
  const lastSuccess = new Map<string, number>()
  total(
    {
      name: 'blindkeep_job_runs_total',
      help: 'Runs of the jobs that work by the clock, by task and outcome.',
      labelNames: ['task', 'outcome'],
    },
    () =>
      (['ok', 'failed'] as const).flatMap((outcome) =>
        runs[outcome]
          .reading('task')
          .map(([labels, count]): readonly [Labels, number] => [{ ...labels, outcome }, count]),
      ),
  )
  total({ name: 'blindkeep_job_seconds_total', help: 'Time that jobs took.', labelNames: ['task'] }, () =>
    seconds.reading('task'),
  )
  gauge(
    {
      name: 'blindkeep_job_last_success_timestamp_seconds',
      help: 'When a job last ended well on this node.',
      labelNames: ['task'],
    },
    () => [...lastSuccess].map(([job, at]) => [{ task: job }, at]),
  )
  return {
    ...node,
    inTurn: (job, work) =>
      node.inTurn(job, async () => {
        const begunAt = performance.now()
        try {
          await work()
          runs.ok.add(job)
          lastSuccess.set(job, node.clock.now() / 1000)
        } catch (error) {
          runs.failed.add(job)
          throw error
        } finally {
          seconds.add(job, (performance.now() - begunAt) / 1000)
        }
      }),
  }
}

/** Events are constants of the code. This bound holds even if one is not. */
const MAX_EVENTS = 100

/** The same log. Warnings and errors are counted by their event. */
export function meterLog(log: Log, { total }: Figures): Log {
  const counts = { warn: new Map<string, number>(), error: new Map<string, number>() }
  const count = (level: keyof typeof counts, event: string) => {
    const events = counts[level]
    const known = events.has(event) || events.size < MAX_EVENTS ? event : 'other'
    events.set(known, (events.get(known) ?? 0) + 1)
  }
  total(
    {
      name: 'blindkeep_log_events_total',
      help: 'Warnings and errors in the log, by their event.',
      labelNames: ['level', 'event'],
    },
    () =>
      (['warn', 'error'] as const).flatMap((level) =>
        [...counts[level]].map(([event, times]): readonly [Labels, number] => [{ level, event }, times]),
      ),
  )
  return {
    info: log.info,
    warn(event, facts) {
      count('warn', event)
      log.warn(event, facts)
    },
    error(event, facts) {
      count('error', event)
      log.error(event, facts)
    },
  }
}
