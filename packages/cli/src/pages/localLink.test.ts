import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Operation, operations } from '@blindkeep/protocol/operations'
import { isForLink } from './localLink.ts'
import type { AskedOperation } from './operationAt.ts'

const [ID, OTHER] = ['a'.repeat(32), 'b'.repeat(32)]
const OF_ALL = ['attestationKeys', 'deprecation', 'moves', 'revokedJti', 'serverInfo', 'site', 'version']
const OWN = {
  link: ['appendChunk', 'cancelDrop', 'createDrop', 'dropSession', 'guestLink', 'guestReceipt', 'noteHeldBack'],
  share: ['share', 'shareBlob', 'shareBlobHead'],
} as const

/** Names of the rows of the whole table that pass for this id. */
function passing(is: 'link' | 'share', opaqueId: string): readonly string[] {
  const passes = isForLink({ is, opaqueId: ID })
  return Object.entries<Operation>(operations)
    .filter(([name, row]) =>
      passes({ name: name as AskedOperation['name'], row, parameters: { opaque_id: opaqueId }, path: '' }),
    )
    .map(([name]) => name)
    .sort()
}

describe('of all operations of the table', () => {
  for (const is of ['link', 'share'] as const)
    it(`those pass for the page of a ${is} that are its guests’ or receivers’, for this one id`, () => {
      assert.deepEqual(passing(is, ID), [...OWN[is], ...OF_ALL].sort())
      assert.deepEqual(passing(is, OTHER), OF_ALL)
    })
})
