import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemEnvironment } from '@blindkeep/client/environment'
import { askedPlaces } from './registration.ts'

describe('the recovery words that are asked for', () => {
  it('are three different ones in their order', () => {
    for (let round = 0; round < 50; round += 1) {
      const places = askedPlaces(24, systemEnvironment.randomBytes)
      assert.equal(new Set(places).size, 3)
      assert.ok(places.every((place) => place >= 1 && place <= 24))
      assert.deepEqual(
        [...places].sort((one, other) => one - other),
        places,
      )
    }
  })

  it('are chosen at random among all', () => {
    const places = new Set<number>()
    for (let round = 0; round < 400; round += 1)
      for (const place of askedPlaces(24, systemEnvironment.randomBytes)) places.add(place)
    assert.equal(places.size, 24)
  })
})
