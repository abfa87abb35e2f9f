import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DropFacts, OwnLink } from '@blindkeep/client/owner'
import { type DropId, parseDropId } from '@blindkeep/protocol/ids'
import { countNew, MAX_COUNTED, markOf, newestOf } from './useVisit.ts'

function drop(number: number, receivedAt = new Date(Date.UTC(2026, 4, 1) + number * 1000).toISOString()): DropFacts {
  const dropId = parseDropId(`0b0e6b1c-7c1c-4c55-9d1b-${String(number).padStart(12, '0')}`)
  assert.ok(dropId !== undefined)
  return { dropId, receivedAt } as DropFacts
}

/** The inbox of a server, newest first, that counts its pages. */
function inboxOf(count: number, pending = count) {
  const asked = { pages: 0, links: 0 }
  return {
    asked,
    listLinks: async () => {
      asked.links += 1
      return [{ pending }] as unknown as readonly OwnLink[]
    },
    async *pendingDrops() {
      for (let at = count; at > 0; at -= 250) {
        asked.pages += 1
        yield Array.from({ length: Math.min(250, at) }, (_, index) => drop(at - index))
      }
    },
  }
}

const view = { read: new Set<DropId>(), readUntil: undefined, newSince: undefined, isLoaded: true }

describe('what is new in the inbox', () => {
  it('is all before the first visit, which one list of the links says', async () => {
    const inbox = inboxOf(0, 7)
    assert.equal(await countNew(inbox, { ...view, read: new Set([drop(1).dropId]) }), 6)
    assert.deepEqual(inbox.asked, { pages: 0, links: 1 })
  })

  it('is what landed after the last visit, without what was read, and no page more is asked for', async () => {
    const inbox = inboxOf(1000)
    const newSince = drop(990).receivedAt
    assert.equal(await countNew(inbox, { ...view, newSince, read: new Set([drop(995).dropId]) }), 9)
    assert.equal(await countNew(inbox, { ...view, newSince, readUntil: drop(998).receivedAt }), 2)
    assert.deepEqual(inbox.asked, { pages: 2, links: 0 })
  })

  it('is not counted without end', async () => {
    const inbox = inboxOf(100_000)
    assert.equal(await countNew(inbox, { ...view, newSince: drop(0).receivedAt }), MAX_COUNTED + 1)
    assert.ok(inbox.asked.pages <= 5)
  })

  it('is marked as new or as not opened, until it was read', () => {
    const since = { ...view, newSince: drop(5).receivedAt }
    assert.equal(markOf(since, drop(6)), 'new')
    assert.equal(markOf(since, drop(5)), 'unread')
    assert.equal(markOf({ ...since, read: new Set([drop(6).dropId]) }, drop(6)), undefined)
    assert.equal(markOf({ ...since, isLoaded: false }, drop(6)), undefined)
    assert.equal(newestOf([drop(1), drop(3), drop(2)]), drop(3).receivedAt)
    assert.equal(newestOf([]), undefined)
  })
})
