/** Several files on a disk that has room for one of them at a time. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { SendError } from '@blindkeep/client/errors'
import { createSendTurns, openLink, type SendProgress, type SendState, send } from '@blindkeep/client/guest'
import { nodeEnvironment } from '@blindkeep/client/node'
import { sourceOfBytes } from '@blindkeep/client/source'
import { newOwner } from '../../testing/people.ts'
import { startServer } from '../../testing/startServer.ts'
import { mountSmallDisk, type SmallDisk } from '../harness/smallDisk.ts'

const MEBIBYTE = 1024 * 1024
const DISK_BYTES = 60 * MEBIBYTE
const FILE_BYTES = 30 * MEBIBYTE

async function smallWorld(disk: SmallDisk) {
  const server = await startServer({
    dataDir: join(disk.directory, 'data'),
    env: {
      FREE_SPACE_FLOOR_BYTES: String(8 * MEBIBYTE),
      CHUNK_BYTES_MAX: String(MEBIBYTE),
      CHUNK_BYTES_SUGGESTED: String(MEBIBYTE),
    },
  })
  const owner = await newOwner(server.url, nodeEnvironment)
  const link = await owner.createLink()
  return { server, owner, link, opened: await openLink(link.url, nodeEnvironment) }
}

type Outcome = { readonly states: readonly SendState[]; readonly said: readonly SendProgress[]; readonly ended: string }

/** Waits are a tenth, so that the tries of minutes take seconds. */
const environment = {
  ...nodeEnvironment,
  wait: (milliseconds: number, signal?: AbortSignal) => nodeEnvironment.wait(milliseconds / 10, signal),
}

describe('uploads that have room only one after the other', () => {
  for (const guests of ['one guest', 'two guests'] as const)
    it(`of ${guests}: one lands, the other ends with a plain reason, without a byte at the server`, async (t) => {
      const disk = mountSmallDisk(DISK_BYTES)
      if ('missing' in disk) return t.skip(disk.missing)
      const { server, owner, opened } = await smallWorld(disk)
      const shared = createSendTurns()
      const sent = async (name: string): Promise<Outcome> => {
        const source = sourceOfBytes(randomBytes(FILE_BYTES))
        const states = [await opened.prepare({ source, name })]
        const said: SendProgress[] = []
        const ended = await send({
          ...{ state: states[0] as SendState, source, environment },
          turns: guests === 'one guest' ? shared : createSendTurns(),
          onState: (state) => void states.push(state),
          onProgress: (progress) => void said.push(progress),
        }).then(
          () => 'landed',
          (error: unknown) => (error instanceof SendError ? error.reason : String(error)),
        )
        return { states, said, ended }
      }
      try {
        const outcomes = await Promise.all(['first', 'second'].map(sent))
        assert.deepEqual(outcomes.map(({ ended }) => ended).sort(), ['landed', 'server_full'])
        assert.equal((await owner.inbox()).length, 1)
        const refused = outcomes.find(({ ended }) => ended === 'server_full')
        assert.equal(refused?.states.at(-1)?.uploadId, undefined)
        assert.deepEqual(new Set(refused?.said.map(({ bytes }) => bytes)), new Set([0]))
        if (guests === 'one guest') assert.ok(refused?.said.some(({ trouble }) => trouble === 'little_room'))
        // What the refused file left has room for a smaller one.
        const source = sourceOfBytes(randomBytes(8 * MEBIBYTE))
        await send({ state: await opened.prepare({ source, name: 'small' }), source, environment })
      } finally {
        await server.stop()
        disk.unmount()
      }
    })
})
