import assert from 'node:assert/strict'
import { it } from 'node:test'
import { localSealOf } from './localSeal.ts'

it('what is sealed for this browser opens with its account key, for its purpose, at its place', async () => {
  const key = crypto.getRandomValues(new Uint8Array(32))
  const seal = localSealOf(key, 'work')
  const sealed = await seal.seal('a/b', { name: 'contract.pdf' })
  assert.deepEqual(await localSealOf(key, 'work').open('a/b', sealed), { name: 'contract.pdf' })
  assert.doesNotMatch(new TextDecoder().decode(sealed), /contract/)
  const altered = sealed.map((byte, index) => (index === 20 ? byte ^ 1 : byte))
  for (const [opener, place, bytes] of [
    [seal, 'a/c', sealed],
    [localSealOf(key, 'index'), 'a/b', sealed],
    [localSealOf(new Uint8Array(32), 'work'), 'a/b', sealed],
    [seal, 'a/b', altered],
    [seal, 'a/b', sealed.subarray(0, 5)],
    [seal, 'a/b', 'text'],
  ] as const)
    assert.equal(await opener.open(place, bytes), undefined)
})
