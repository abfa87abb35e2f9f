/** An owner's client whose server dies with a claim on a drop: the next try is another request, and has to wait until the lease has run out. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { type Environment, systemEnvironment } from '@blindkeep/client/environment'
import type { InboxItem } from '@blindkeep/client/owner'
import { anotherClient, type Keeper, newKeeper, sendFile } from '../testing/people.ts'
import { type RunningServer, startServer } from '../testing/startServer.ts'
import { untilState } from './kills.ts'

/** Longer than a start takes on a busy machine, and shorter than a client tries. */
const LEASE_SECONDS = 5
const DROPS = 6
const MAX_ROUNDS = 60

describe('an adoption whose server was killed', () => {
  let server: RunningServer
  let keeper: Keeper
  let url: string

  before(async () => {
    server = await startServer({ env: { ADOPTION_LEASE_SECONDS: String(LEASE_SECONDS) } })
    keeper = await newKeeper(server.url)
    url = (await keeper.owner.createLink()).url
  })
  after(() => server.stop())

  async function killAmongAdoptions(): Promise<void> {
    const { owner } = keeper
    for (let index = 0; index < DROPS; index++) await sendFile(url, randomBytes(1000))
    const controller = new AbortController()
    const waiting = (await owner.inbox()).filter(({ adopting }) => !adopting)
    const claimed = untilState(server.dataDir, 'a drop is claimed')
    const adopting = waiting.map((drop) => owner.adoptDrop(drop, { ...keeper, signal: controller.signal }))
    const ended = Promise.allSettled(adopting)
    await claimed
    await server.kill9()
    controller.abort(new Error('died'))
    await ended
    await server.restart()
  }

  /** A client that knows nothing of the first one's request; it gives up when it would wait, until it is patient. */
  function anew() {
    const statuses: number[] = []
    const impatience = new AbortController()
    const environment: Environment = {
      ...systemEnvironment,
      fetch: async (input, init) => {
        const answer = await fetch(input, init)
        if (String(input).endsWith('/adopt')) statuses.push(answer.status)
        return answer
      },
      wait: (milliseconds, signal) => {
        impatience.abort(new Error('enough'))
        return systemEnvironment.wait(milliseconds, signal)
      },
    }
    return { owner: anotherClient(server.url, keeper.owner, environment), statuses, signal: impatience.signal }
  }

  /** False when the lease had run out already. */
  async function isAdoptedLater(drop: InboxItem): Promise<boolean> {
    const { owner, statuses, signal } = anew()
    const outcome = await owner.adoptDrop(drop, { ...keeper, signal }).then(
      () => 'adopted',
      (error: unknown) => (error instanceof Error ? error.message : error),
    )
    if (outcome === 'adopted') return false
    assert.equal(outcome, 'enough')
    const { assetId } = await owner.adoptDrop(drop, keeper)
    assert.deepEqual([...new Set(statuses)], [404, 200])
    assert.equal((await owner.assetReceipts(assetId)).receipts.length, 4)
    assert.ok(!(await owner.inbox()).some(({ dropId }) => dropId === drop.dropId))
    return true
  }

  it('is adopted by another request as soon as the lease has run out, and the client waits for that', async (test) => {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      await killAmongAdoptions()
      const drop = (await keeper.owner.inbox()).find(({ adopting }) => adopting)
      if (drop === undefined || !(await isAdoptedLater(drop))) continue
      test.diagnostic(`${round} kills until one left a claim`)
      return
    }
    assert.fail(`${MAX_ROUNDS} kills left no claim that outlived the start`)
  })
})
