import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { describe, it } from 'node:test'
import type { AccountId } from '@blindkeep/protocol/ids'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import { newAlbumOwner } from '../../testing/assets.ts'
import { createFaults, createGate } from '../../testing/faults.ts'
import { bytes, never } from '../../testing/guest.ts'
import { aboutAll, fileOf, flagsOf, type KeptBlob, keep, verifyOver, watchBlobs } from '../../testing/verify.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'

const MEBIBYTE = 1024 * 1024
const whole = 'stored indexed retrievable original'

/** Requests that wait for a turn give up when a test says so. */
function createPatience() {
  const waits: { readonly timeoutMs: number; readonly giveUp: () => void }[] = []
  const watchers: { readonly count: number; readonly resolve: () => void }[] = []
  return {
    waits,
    giveUpAfter(timeoutMs: number): AbortSignal {
      const overrides = new AbortController()
      waits.push({ timeoutMs, giveUp: () => overrides.abort() })
      for (const { count, resolve } of watchers) if (waits.length >= count) resolve()
      return overrides.signal
    },
    /** Resolves when `count` requests have begun to wait. */
    async until(count: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (waits.length >= count) resolve()
      watchers.push({ count, resolve })
      await promise
    },
  }
}

/** A world with four accounts of one blob each, in which a scan waits until `finish` opens its gate. */
async function inScanWorld(
  work: (parts: {
    readonly world: World
    readonly patience: ReturnType<typeof createPatience>
    /** One deep request for the blob of this account. */
    readonly ask: (account: number, signal?: AbortSignal) => Promise<readonly string[]>
    /** Resolves when `count` scans have begun. */
    readonly begun: (count: number) => Promise<void>
    readonly finish: (account: number) => void
    readonly scans: readonly string[]
    readonly remove: (account: number) => Promise<void>
  }) => Promise<void>,
  options: { readonly deepBytesPerHour?: number; readonly faults?: ReturnType<typeof createFaults> } = {},
): Promise<void> {
  const watch = watchBlobs()
  const store = options.faults?.around.store
  await inWorld(
    async (world) => {
      const patience = createPatience()
      const verify = verifyOver(world, { ...options, giveUpAfter: patience.giveUpAfter })
      const owned: { accountId: AccountId; blob: KeptBlob; gate: ReturnType<typeof createGate> }[] = []
      for (let count = 0; count < 4; count += 1) {
        const albumOwner = await newAlbumOwner(world)
        const blob = await keep(world, albumOwner, bytes(100))
        owned.push({ accountId: albumOwner.accountId, blob, gate: createGate() })
      }
      const beginnings = Array.from({ length: 8 }, createGate)
      watch.beforeDigest(async (location, signal) => {
        beginnings[watch.calls.digest.length - 1]?.open()
        const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
        await Promise.race([defined(owned.find(({ blob }) => blob.location === location)).gate.passed, aborted])
      })
      await work({
        world,
        patience,
        async ask(account, signal = never) {
          const { accountId, blob } = defined(owned[account])
          const verdicts = await verify({ accountId, questions: aboutAll([blob]), deep: true, signal })
          return verdicts.flatMap(({ blobs }) => blobs.map(flagsOf))
        },
        begun: (count) => defined(beginnings[count - 1]).passed,
        finish: (account) => defined(owned[account]).gate.open(),
        scans: watch.calls.digest,
        remove: (account) => rm(fileOf(world, defined(owned[account]).blob)),
      })
    },
    { around: { blobs: watch.around, ...(store && { store }) } },
  )()
}

describe('turns of deep scans', () => {
  it('are one at a time per account', () =>
    inScanWorld(async ({ ask, begun, finish, patience, scans }) => {
      const first = ask(0)
      await begun(1)
      const second = ask(0)
      await patience.until(1)
      assert.equal(scans.length, 1)
      finish(0)
      assert.deepEqual(await Promise.all([first, second]), [[`${whole} intact`], [`${whole} intact`]])
      assert.equal(scans.length, 2)
    }))

  it('are two at a time in total, first come first served', () =>
    inScanWorld(async ({ ask, begun, finish, patience, scans }) => {
      const answers = [ask(0), ask(1)]
      await begun(2)
      answers.push(ask(2))
      await patience.until(1)
      answers.push(ask(3))
      await patience.until(2)
      assert.equal(scans.length, 2)
      finish(1)
      await begun(3)
      finish(2)
      await begun(4)
      finish(3)
      finish(0)
      for (const answer of await Promise.all(answers)) assert.deepEqual(answer, [`${whole} intact`])
    }))

  it('are not delayed by an earlier request of an account that is already scanning', () =>
    inScanWorld(async ({ ask, begun, finish, patience }) => {
      const own = ask(0)
      await begun(1)
      const again = ask(0)
      await patience.until(1)
      const other = ask(1)
      await begun(2)
      finish(1)
      assert.deepEqual(await other, [`${whole} intact`])
      finish(0)
      await Promise.all([own, again])
    }))

  it('that do not begin within ten seconds answer rate_limited and charge nothing', () =>
    inScanWorld(
      async ({ ask, begun, finish, patience, scans }) => {
        const running = [ask(0), ask(1)]
        await begun(2)
        const late = ask(2)
        await patience.until(1)
        assert.equal(patience.waits[0]?.timeoutMs, 10_000)
        patience.waits[0]?.giveUp()
        assert.deepEqual(await late, [`${whole} rate_limited`])
        for (const account of [0, 1, 2]) finish(account)
        await Promise.all(running)
        assert.equal(scans.length, 2)
        // It has left the queue, and its budget is unused.
        assert.deepEqual(await ask(2), [`${whole} intact`])
        assert.deepEqual(await ask(2), [`${whole} rate_limited`])
        assert.equal(patience.waits.length, 1)
      },
      { deepBytesPerHour: MEBIBYTE },
    ))

  it('are refused at once to a fifth waiting request of one account', () =>
    inScanWorld(async ({ ask, begun, finish, patience }) => {
      const running = [ask(0)]
      await begun(1)
      for (let count = 1; count <= 4; count += 1) {
        running.push(ask(0))
        await patience.until(count)
      }
      assert.deepEqual(await ask(0), [`${whole} rate_limited`])
      finish(0)
      for (const answer of await Promise.all(running)) assert.deepEqual(answer, [`${whole} intact`])
    }))

  it('are not taken for a missing object', () =>
    inScanWorld(async ({ ask, begun, finish, patience, remove }) => {
      const running = ask(0)
      await begun(1)
      await remove(0)
      assert.deepEqual(await ask(0), ['indexed original'])
      assert.equal(patience.waits.length, 0)
      finish(0)
      await running
    }))

  it('end when the request fails', async () => {
    const faults = createFaults()
    await inScanWorld(
      async ({ ask, begun, finish, patience }) => {
        const failing = ask(0)
        await begun(1)
        faults.arm('storeRead', { times: 1 })
        finish(0)
        await assert.rejects(failing, StorageUnavailable)
        assert.deepEqual(await ask(0), [`${whole} intact`])
        assert.equal(patience.waits.length, 0)
      },
      { faults },
    )
  })
})

describe('a client that disconnects', () => {
  const reason = new Error('disconnected')

  it('stops its scan, has spent its budget, and lets the next request in', () =>
    inScanWorld(
      async ({ ask, begun, finish, patience }) => {
        const client = new AbortController()
        const stopped = ask(0, client.signal)
        await begun(1)
        const next = ask(0)
        await patience.until(1)
        client.abort(reason)
        await assert.rejects(stopped, reason)
        await begun(2)
        finish(0)
        assert.deepEqual(await next, [`${whole} intact`])
        assert.deepEqual(await ask(0), [`${whole} rate_limited`])
      },
      { deepBytesPerHour: 2 * MEBIBYTE },
    ))

  it('leaves the queue without a charge', () =>
    inScanWorld(
      async ({ ask, begun, finish, patience, scans }) => {
        const running = ask(0)
        await begun(1)
        const client = new AbortController()
        const left = ask(0, client.signal)
        await patience.until(1)
        client.abort(reason)
        await assert.rejects(left, reason)
        finish(0)
        await running
        assert.deepEqual(await ask(0), [`${whole} intact`])
        assert.equal(scans.length, 2)
      },
      { deepBytesPerHour: 2 * MEBIBYTE },
    ))

  it('before its scan begins starts no scan', () =>
    inScanWorld(
      async ({ ask, finish, scans }) => {
        await assert.rejects(ask(0, AbortSignal.abort(reason)), reason)
        assert.deepEqual(scans, [])
        finish(0)
        assert.deepEqual(await ask(0), [`${whole} intact`])
      },
      { deepBytesPerHour: MEBIBYTE },
    ))
})
