/** Rude guests in their own thread: their cost must not delay the measured ones. */
import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { ATTACKS, startAttack, type Target } from './attacks.ts'
import { createGuest } from './wire.ts'

export interface AttackOrder {
  readonly port: number
  readonly target: Target
  /** How many guests attack at once. They share the attacks among them. */
  readonly guests: number
  /** The names of the attacks. */
  readonly names: readonly string[]
  /** Pause between two steps of one guest. */
  readonly paceMs: number
}

export interface Attackers {
  /** Stops, and closes all connections. */
  stop(): Promise<void>
}

/** Resolves when the guests have begun. */
export async function startAttackers(order: AttackOrder): Promise<Attackers> {
  const worker = new Worker(new URL(import.meta.url), { workerData: order })
  await once(worker, 'message')
  return {
    async stop() {
      worker.postMessage('stop')
      await once(worker, 'exit')
    },
  }
}

function attack({ port, target, guests, names, paceMs }: AttackOrder): void {
  const chosen = ATTACKS.filter(({ name }) => names.includes(name))
  const running = Array.from({ length: guests }, (_, index) =>
    chosen
      .slice(index % chosen.length, (index % chosen.length) + 1)
      .map((each) => startAttack({ attack: each, guest: createGuest(port, `203.0.113.${index + 1}`), target, paceMs })),
  ).flat()
  parentPort?.postMessage('begun')
  parentPort?.once('message', () => void Promise.all(running.map(({ stop }) => stop())))
}

// The type is that of the only caller, above.
if (!isMainThread) attack(workerData as AttackOrder)
