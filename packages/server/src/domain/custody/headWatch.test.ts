import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { addSeconds } from '@blindkeep/protocol/ids'
import { copySqlite } from '../../adapters/sql/sqlite/copy.ts'
import { openSqliteStore } from '../../adapters/sql/sqlite/store.ts'
import type { GiveUpAfter } from '../../ground/pause.ts'
import { StorageUnavailable, type Store } from '../../ports/store.ts'
import type { Witness, WitnessedHead } from '../../ports/witness.ts'
import { createGate } from '../../testing/faults.ts'
import { bytes, land, newLink } from '../../testing/guest.ts'
import { draft } from '../../testing/receipts.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'
import { createHeadWatch, HeadBehind, type HeadWatch } from './headWatch.ts'
import { openServerKeys } from './keys.ts'
import { beginLife } from './logLives.ts'

/** A witness that outlives nodes and databases, as the one beside the bytes does. */
function createWitness() {
  let kept: WitnessedHead | undefined
  const calls = { writes: 0 }
  let before: () => Promise<void> = async () => undefined
  const witness: Witness = {
    async read() {
      await before()
      return kept
    },
    async write(head) {
      calls.writes += 1
      await before()
      kept = head
    },
  }
  return {
    witness,
    calls,
    kept: () => kept,
    forget() {
      kept = undefined
    },
    beforeEach(work: () => Promise<void>) {
      before = work
    },
  }
}

/** The witness follows at once, unless a test waits with it. */
const giveUpAfter = () => AbortSignal.abort()

interface Watched {
  readonly world: World
  readonly keeping: ReturnType<typeof createWitness>
  /** A node over the database, as after its start. */
  start(store: Store, waitFor?: GiveUpAfter): Promise<{ readonly node: World; readonly watch: HeadWatch }>
  /** The database as it is now, in another file. */
  copy(): Promise<Store>
}

const watched = (work: (watched: Watched) => Promise<void>) =>
  inWorld(
    async (world) => {
      const directory = await mkdtemp(join(tmpdir(), 'blindkeep-watch-'))
      const open: Store[] = []
      const keeping = createWitness()
      try {
        await work({
          world,
          keeping,
          async start(store, waitFor = giveUpAfter) {
            const watch = createHeadWatch({ store, witness: keeping.witness, log: world.log, giveUpAfter: waitFor })
            await watch.check()
            const keys = await openServerKeys({ ...world, store })
            const rules = world.rulesOver({ ...world, store, keys, headWatch: watch })
            return { node: { ...world, store, rules }, watch }
          },
          async copy() {
            const path = join(directory, `${open.length}.sqlite`)
            await copySqlite(defined(world.databasePath), path)
            const store = await openSqliteStore({ path })
            open.push(store)
            return store
          },
        })
      } finally {
        for (const store of open) await store.close()
        await rm(directory, { recursive: true })
      }
    },
    { isOnDisk: true },
  )

const seqsOf = (store: Store) =>
  store.read(async (tx) => (await tx.audit.receipts(0, 100)).map(({ row }) => row.receiptSeq))
const isBehind = (error: unknown) => error instanceof HeadBehind
const errorsIn = ({ logged }: World) => logged.filter(({ level }) => level === 'error').length

describe('the watch over the head of the receipt log', () => {
  it(
    'lets a node sign on the database that it knows, and the witness follows',
    watched(async ({ world, keeping, start }) => {
      const { node, watch } = await start(world.store)
      assert.equal(keeping.kept(), undefined)
      await land(node, await newLink(node), bytes(10))
      await watch.close()
      const head = defined(await world.store.read((tx) => tx.receipts.head()))
      assert.deepEqual(keeping.kept(), { life: 0, receiptSeq: 1, receiptHash: head.receiptHash })
      assert.deepEqual(watch.reasons(), [])
      const again = await start(world.store)
      await again.node.rules.receiptLog.append(draft())
      assert.deepEqual(await seqsOf(world.store), [1, 2])
    }),
  )

  it(
    'signs and removes nothing when the database was set back before the start, and says so once',
    watched(async ({ world, keeping, start, copy }) => {
      const before = await start(world.store)
      const link = await newLink(world)
      await land(before.node, link, bytes(10))
      const older = await copy()
      await land(before.node, link, bytes(10))
      await before.watch.close()

      const { node, watch } = await start(older)
      assert.match(String(watch.reasons()), /set back: its last receipt is 1, and receipt 2 was signed\. .*restored/)
      await assert.rejects(land(node, link, bytes(10)), isBehind)
      await assert.rejects(node.rules.receiptLog.append(draft()), isBehind)
      await watch.check()
      assert.deepEqual([await seqsOf(older), keeping.kept()?.receiptSeq, errorsIn(world)], [[1], 2, 1])
      const location = `ab/${'a'.repeat(64)}.00000000-0000-4000-8000-000000000000`
      const since = addSeconds(world.clock.now(), -1)
      await older.write([], (tx) => tx.objects.insert({ location, size: 1, state: 'deleting', since }))
      await assert.rejects(node.rules.sweep.removeDeleting(), isBehind)
      assert.ok(await older.read((tx) => tx.objects.find(location)))
    }),
  )

  it(
    'notices a database that is set back, or replaced by another branch of the log, while the node runs',
    watched(async ({ world, keeping, start, copy }) => {
      let current = world.store
      const switched: Store = {
        ...world.store,
        read: (work) => current.read(work),
        ask: (work) => current.ask(work),
        look: () => current.look(),
        write: (locks, work) => current.write(locks, work),
        withReceiptLogLock: (work) => current.withReceiptLogLock(work),
      }
      const { node, watch } = await start(switched)
      await node.rules.receiptLog.append(draft())
      const [older, branch] = [await copy(), await copy()]
      await node.rules.receiptLog.append(draft())
      await watch.close()

      // The memory of the process suffices.
      keeping.beforeEach(() => Promise.reject(new StorageUnavailable('the store of bytes is away')))
      current = older
      await assert.rejects(node.rules.receiptLog.append(draft()), StorageUnavailable)
      keeping.beforeEach(async () => undefined)
      await assert.rejects(node.rules.receiptLog.append(draft()), isBehind)

      const other = world.rulesOver({
        ...world,
        store: branch,
        keys: await openServerKeys({ ...world, store: branch }),
      })
      await other.receiptLog.append(draft())
      await other.receiptLog.append(draft())
      current = branch
      watch.suspect()
      await assert.rejects(node.rules.receiptLog.append(draft()), isBehind)
      assert.match(String(watch.reasons()), /another receipt 2/)

      current = world.store
      await node.rules.receiptLog.append(draft())
      assert.deepEqual(
        [await seqsOf(older), await seqsOf(branch), await seqsOf(world.store)],
        [[1], [1, 2, 3], [1, 2, 3]],
      )
      assert.deepEqual([errorsIn(world), watch.reasons()], [1, []])
    }),
  )

  it(
    'signs on another server of the database only when it can know what other nodes have signed on the one before',
    watched(async ({ world, keeping, start, copy }) => {
      let current = world.store
      let meet: (() => void) | undefined
      let isMet = true
      const switched: Store = {
        ...world.store,
        mayLoseOutcome: true,
        read: (work) => current.read(work),
        ask: (work) => current.ask(work),
        write(locks, work) {
          // As late as it can be: the transaction that commits opens the first connection.
          if (!isMet) meet?.()
          isMet = true
          return current.write(locks, work)
        },
        onOtherServer(listener) {
          meet = listener
        },
      }
      const waits: { readonly ms: number; readonly end: () => void }[] = []
      const asked = createGate()
      const giveUpLater: GiveUpAfter = (ms) => {
        const wait = new AbortController()
        waits.push({ ms, end: () => wait.abort() })
        if (ms > 1_000) asked.open()
        return wait.signal
      }
      const other = await start(world.store, giveUpLater)
      const { node, watch } = await start(switched, giveUpLater)
      // Its witness follows at once from now on.
      await watch.close()
      await node.rules.receiptLog.append(draft())
      const older = await copy()
      await other.node.rules.receiptLog.append(draft())

      world.clock.advance(1)
      current = older
      isMet = false
      const signing = node.rules.receiptLog.append(draft())
      await Promise.race([asked.passed, signing])
      await other.watch.close()
      assert.equal(keeping.kept()?.receiptSeq, 2)
      for (const { end } of waits) end()
      await assert.rejects(signing, isBehind)
      assert.deepEqual(await seqsOf(older), [1])
    }),
  )

  it(
    'lets another life begin: no number comes twice, cursors end, and the life before is refused from then on',
    watched(async ({ world, keeping, start, copy }) => {
      const first = await start(world.store)
      await first.node.rules.receiptLog.append(draft())
      const older = await copy()
      for (const _ of [1, 2, 3]) await first.node.rules.receiptLog.append(draft())
      await first.watch.close()
      const epochOf = (store: Store) => store.read((tx) => tx.server.fact('feed_epoch'))
      await older.write([], (tx) => tx.server.setFact('feed_epoch', bytes(16)))
      const epoch = await epochOf(older)

      const { life, receiptSeqFloor, rotation } = await beginLife({ ...world, store: older, witness: keeping.witness })
      assert.equal(life, 1)
      assert.notDeepEqual(await epochOf(older), epoch)
      const { node, watch } = await start(older)
      assert.deepEqual(watch.reasons(), [])
      const row = await node.rules.receiptLog.append(draft())
      await watch.close()
      assert.ok(row.receiptSeq > 4 && row.receiptSeq > receiptSeqFloor && row.keyId === rotation.active)
      assert.deepEqual([keeping.kept()?.life, keeping.kept()?.receiptSeq], [1, row.receiptSeq])

      // The old primary comes back, and a node with it that never stopped.
      await first.watch.check()
      await assert.rejects(first.node.rules.receiptLog.append(draft()), isBehind)
      assert.match(String((await start(world.store)).watch.reasons()), /older than its last restore/)
      assert.equal((await seqsOf(world.store)).length, 4)
      assert.equal((await beginLife({ ...world, witness: keeping.witness })).life, 2)
    }),
  )

  it(
    'takes bytes without a witness for other ones, once there was one in this life of the log',
    watched(async ({ world, keeping, start }) => {
      const first = await start(world.store)
      await first.node.rules.receiptLog.append(draft())
      await first.watch.close()
      keeping.forget()
      const { node, watch } = await start(world.store)
      assert.match(String(watch.reasons()), /witness of the receipt log is missing/)
      await assert.rejects(node.rules.receiptLog.append(draft()), isBehind)
      await beginLife({ ...world, witness: keeping.witness })
      assert.deepEqual((await start(world.store)).watch.reasons(), [])
    }),
  )

  it(
    'accepts what other nodes have signed, and brings a witness that lags up to date',
    watched(async ({ world, keeping, start }) => {
      const [one, other] = [await start(world.store), await start(world.store)]
      await one.node.rules.receiptLog.append(draft())
      await other.node.rules.receiptLog.append(draft())
      await one.node.rules.receiptLog.append(draft())
      await Promise.all([one.watch.close(), other.watch.close()])
      const { receiptSeq, receiptHash } = defined(await world.store.read((tx) => tx.receipts.head()))
      await keeping.witness.write({
        life: 0,
        receiptSeq: 1,
        receiptHash: (await hashes(world.store))[0] ?? receiptHash,
      })
      await other.watch.check()
      await other.watch.close()
      assert.deepEqual(keeping.kept(), { life: 0, receiptSeq, receiptHash })
    }),
  )

  it(
    'writes one head at a time, always the newest, and goes on when the witness cannot be written',
    watched(async ({ world, keeping, start }) => {
      const { node, watch } = await start(world.store)
      const gate = createGate()
      keeping.beforeEach(() => gate.passed)
      for (const _ of [1, 2, 3, 4]) await node.rules.receiptLog.append(draft())
      assert.equal(keeping.calls.writes, 1)
      gate.open()
      await watch.close()
      assert.deepEqual([keeping.calls.writes, keeping.kept()?.receiptSeq], [2, 4])
      keeping.beforeEach(() => Promise.reject(new StorageUnavailable('the store of bytes is away')))
      await node.rules.receiptLog.append(draft())
      await watch.close()
      keeping.beforeEach(async () => undefined)
      await watch.check()
      await watch.close()
      assert.equal(keeping.kept()?.receiptSeq, 5)
    }),
  )
})

const hashes = (store: Store) =>
  store.read(async (tx) => (await tx.audit.receipts(0, 100)).map(({ row }) => row.receiptHash))
