import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { draft } from '../../testing/receipts.ts'
import { accountsOf, registration } from '../../testing/signInKeys.ts'
import { inWorld, type World } from '../../testing/world.ts'
import { checkServerId, recordServerId, ServerMoved, WrongServerId } from './serverId.ts'

const isKept = async ({ store }: World) => {
  await checkServerId(store, 'https://keep.example')
  await assert.rejects(checkServerId(store, 'https://any.example'), WrongServerId)
  await assert.rejects(checkServerId(store, 'https://keep.example/'), /PUBLIC_URL.*https:\/\/keep\.example/)
}

describe('the server_id', () => {
  it(
    'may change until the first receipt, and not afterwards',
    inWorld(async (world) => {
      await checkServerId(world.store, 'https://any.example')
      await world.rules.receiptLog.append(draft())
      await isKept(world)
    }),
  )

  it(
    'may change until the first account, and not afterwards',
    inWorld(async (world) => {
      await accountsOf(world).register(registration({ email: 'no e-mail' }))
      await checkServerId(world.store, 'https://any.example')
      await accountsOf(world).register(registration())
      await isKept(world)
    }),
  )

  it(
    'stays after an account when the first receipt follows, and the other way round',
    inWorld(async (world) => {
      await accountsOf(world).register(registration())
      await world.rules.receiptLog.append(draft())
      await isKept(world)
    }),
  )

  it(
    'of another process that was first stops this one from making an account',
    inWorld(async (world) => {
      await world.store.write([], (tx) => recordServerId(tx, 'https://any.example'))
      await assert.rejects(accountsOf(world).register(registration()), ServerMoved)
      assert.deepEqual(await world.store.read((tx) => tx.accounts.list({ afterEmail: undefined, max: 1 })), [])
    }),
  )
})
