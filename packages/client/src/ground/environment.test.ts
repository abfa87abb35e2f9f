import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemEnvironment, withCachedProofs } from './environment.ts'

const ALL_DAY_MS = 86_400_000

describe('waiting', () => {
  it('ends after its time', async () => {
    await systemEnvironment.wait(1, new AbortController().signal)
  })

  it('does not end at once when a server has named its time and no timer can hold it', async () => {
    for (const milliseconds of [2 ** 31, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY]) {
      const controller = new AbortController()
      let hasEnded = false
      const waiting = systemEnvironment.wait(milliseconds, controller.signal).then(() => {
        hasEnded = true
      })
      await systemEnvironment.wait(20)
      controller.abort(new Error('enough'))
      await assert.rejects(waiting, /enough/)
      assert.equal(hasEnded, false)
    }
  })

  it('rejects at once with the reason when it is aborted before or meanwhile', async () => {
    const controller = new AbortController()
    const waiting = systemEnvironment.wait(ALL_DAY_MS, controller.signal)
    controller.abort(new Error('enough'))
    await assert.rejects(waiting, /enough/)
    await assert.rejects(systemEnvironment.wait(ALL_DAY_MS, controller.signal), /enough/)
  })
})

describe('a cached proof of a passphrase', () => {
  it('is made once for each passphrase and link, and again after a failure', async () => {
    const made: (readonly [string, number | undefined])[] = []
    const environment = withCachedProofs({
      ...systemEnvironment,
      async passphraseProof(passphrase, salt) {
        made.push([passphrase, salt[0]])
        if (made.length === 1) throw new Error('no memory')
        return new Uint8Array([made.length])
      },
    })
    const proofOf = (passphrase: string, link: number) =>
      environment.passphraseProof(passphrase, new Uint8Array([link]))
    await assert.rejects(proofOf('a', 1), /no memory/)
    const proofs = await Promise.all([proofOf('a', 1), proofOf('a', 1), proofOf('b', 1), proofOf('a', 2)])
    assert.deepEqual(
      [...proofs, await proofOf('a', 1)].map(([proof]) => proof),
      [2, 2, 3, 4, 2],
    )
    assert.deepEqual(made, [
      ['a', 1],
      ['a', 1],
      ['b', 1],
      ['a', 2],
    ])
  })
})
