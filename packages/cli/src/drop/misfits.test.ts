import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { usualSealedBytes } from '@blindkeep/client/sizes'
import { misfits } from './misfits.ts'

function judged(room: Parameters<typeof misfits>[0], ...sizes: readonly number[]) {
  const files = sizes.map((size, index) => ({ path: `/${index}`, shownAs: `${index}`, name: `${index}`, size }))
  const found = misfits(room, files)
  return files.map((file) => found.get(file)?.reason)
}

describe('the files that do not fit into a link', () => {
  it('are none where the link has no limit', () => {
    assert.deepEqual(judged({}, 0, 2 ** 40), [undefined, undefined])
  })

  it('are those after the last one for which there is room', () => {
    assert.deepEqual(judged({ remainingFiles: 2 }, 1, 1, 1), [undefined, undefined, 'too_many'])
    assert.deepEqual(judged({ remainingFiles: 0 }, 1), ['too_many'])
  })

  it('do not send the guest for another link where the storage of the owner may be short', () => {
    const file = { size: 600_000 }
    const message = misfits({ remainingBytes: 390_000 }, [file]).get(file)?.message
    assert.match(message ?? '', /^There is no room for 600 kB now.*the link, or the storage of its owner/)
    assert.doesNotMatch(message ?? '', /another link/)
  })

  it('are all of them while the inbox behind it is full, which its owner can change', () => {
    const file = { size: 1 }
    const { reason, message } = misfits({ inboxFull: true }, [file]).get(file) ?? {}
    assert.equal(reason, 'inbox_full')
    assert.match(message ?? '', /inbox behind the link is full.*Tell the owner/)
  })

  it('use up no room', () => {
    assert.deepEqual(judged({ sealedBytesMax: usualSealedBytes(5), remainingFiles: 1 }, 9, 1), ['too_large', undefined])
    const remainingBytes = usualSealedBytes(1000) + usualSealedBytes(10)
    assert.deepEqual(judged({ remainingBytes }, 1000, 11, 10), [undefined, 'no_room', undefined])
  })
})
