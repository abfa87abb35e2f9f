/** The server dies while it holds a claim. The next try is another request, and waits for the lease's end. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { type Environment, systemEnvironment } from '@blindkeep/client/environment'
import type { DescribedDrop } from '@blindkeep/client/owner'
import { anotherClient, type Keeper, newKeeper, openedDrops, sendFile } from '../../testing/people.ts'
import { type RunningServer, startServer } from '../../testing/startServer.ts'
import { untilState } from './kills.ts'

/** Longer than a start on a busy machine, and shorter than a client keeps trying. */
const LEASE_SECONDS = 8
/** On a busy machine the first claim comes long after its request. */
const MAX_UNTIL_CLAIM_MS = 60_000
const DROPS = 6
const MAX_ROUNDS = 60

describe('an adoption after its server was killed', () => {
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
    const waiting = (await openedDrops(owner)).filter(({ adopting }) => !adopting)
    const claimed = untilState(server.dataDir, 'a drop is claimed', MAX_UNTIL_CLAIM_MS)
    const adopting = waiting.map((drop) => owner.adoptDrop(drop, { ...keeper, signal: controller.signal }))
    const ended = Promise.allSettled(adopting)
    await claimed
    await server.kill9()
    controller.abort(new Error('died'))
    await ended
    await server.restart()
  }

  /** A client that does not know the first client's request. Its signal aborts as soon as the client would wait. */
  function otherClient() {
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

  /** False when the lease had already expired. */
  async function isAdoptedLater(drop: DescribedDrop): Promise<boolean> {
    const { owner, statuses, signal } = otherClient()
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

  it('succeeds by another request as soon as the lease has expired, and the client waits for that', async (test) => {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      await killAmongAdoptions()
      const drop = (await openedDrops(keeper.owner)).find(({ adopting }) => adopting)
      if (drop === undefined || !(await isAdoptedLater(drop))) continue
      test.diagnostic(`${round} kills until one left a claim`)
      return
    }
    assert.fail(`${MAX_ROUNDS} kills left no claim that outlived the start`)
  })
})
