import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { type Operation, operations } from '@blindkeep/protocol/operations'
import { overHttp } from '../testing/http.ts'
import { inWorld } from '../testing/world.ts'

const patches = Object.entries<Operation>(operations).filter(
  ([, { method, body }]) => method === 'PATCH' && body?.type === 'application/json',
)

describe('a change that changes nothing', () => {
  it(
    'gets the answer of any other change for an id that is not the caller’s',
    inWorld(async (world) => {
      const { ask, signIn } = overHttp(world)
      const headers = await signIn()
      assert.ok(patches.length >= 6)
      for (const [name, { path }] of patches) {
        const url = path.replace('{opaque_id}', randomBytes(16).toString('hex')).replace(/\{\w+\}/, randomUUID())
        const change = path.includes('links') ? 'sealed_label' : 'sealed_name'
        const answers = []
        for (const payload of [{}, { [change]: randomBytes(80).toString('base64') }]) {
          const answer = await ask({ method: 'PATCH', url, headers, payload })
          answers.push(`${answer.statusCode} ${answer.json().code}`)
        }
        assert.equal(answers[0], answers[1], name)
        assert.match(String(answers[0]), /^40[34] /, name)
      }
    }),
  )
})
