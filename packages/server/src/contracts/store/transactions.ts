import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ReadTx, Store, WriteTx } from '../../ports/store.ts'
import { account, accountId, atOnce, type InStore } from './world.ts'

export function describeTransactions(inStore: InStore): void {
  describe('transactions', () => {
    describeWrites(inStore)
    describeCompany(inStore)
    describeReads(inStore)
    describeQuestions(inStore)
    describeLock(inStore)
  })
}

async function emails(store: Store, max: number): Promise<readonly (string | undefined)[]> {
  const numbers = Array.from({ length: max }, (_, index) => index + 1)
  return await store.read((tx) =>
    Promise.all(numbers.map(async (number) => (await tx.accounts.find(accountId(number)))?.email)),
  )
}

function describeWrites(inStore: InStore): void {
  it(
    'show what a write committed, and answer what its work answered',
    inStore(async (store) => {
      assert.equal(await store.write([], (tx) => tx.accounts.insert(account(1))), true)
      assert.deepEqual(await emails(store, 1), [account(1).email])
    }),
  )

  it(
    'let a write see its own changes',
    inStore(async (store) => {
      const found = await store.write([], async (tx) => {
        await tx.accounts.insert(account(1))
        return await tx.accounts.find(accountId(1))
      })
      assert.equal(found?.email, account(1).email)
    }),
  )

  it(
    'roll back completely and reject with the same error if the work throws',
    inStore(async (store) => {
      const surprise = new Error('surprise')
      const write = store.write([], async (tx) => {
        await tx.accounts.insert(account(1))
        await tx.accounts.insert(account(2))
        throw surprise
      })
      await assert.rejects(write, (error) => error === surprise)
      assert.deepEqual(await emails(store, 2), [undefined, undefined])
    }),
  )

  it(
    'roll back completely and answer the refusal if the work refuses',
    inStore(async (store) => {
      const answer = await store.write([], async (tx) => {
        await tx.accounts.insert(account(1))
        return { refused: 'quota_exceeded', limit: 5 } as const
      })
      assert.deepEqual(answer, { refused: 'quota_exceeded', limit: 5 })
      assert.deepEqual(await emails(store, 1), [undefined])
    }),
  )

  it(
    'run the steps after their commit in the order of the calls, before they answer',
    inStore(async (store) => {
      const seen: (string | undefined)[] = []
      const steps: string[] = []
      let read: Promise<unknown> | undefined
      const answer = await store.write([], async (tx) => {
        tx.afterCommit(() => {
          steps.push('first')
          read = emails(store, 1).then((found) => seen.push(...found))
        })
        await tx.accounts.insert(account(1))
        tx.afterCommit(() => steps.push('second'))
        assert.deepEqual(steps, [])
        return 'done'
      })
      assert.deepEqual([answer, steps], ['done', ['first', 'second']])
      await read
      assert.deepEqual(seen, [account(1).email])
    }),
  )

  it(
    'run no step of a work that throws or refuses, beside others of the same commit',
    inStore(async (store) => {
      const steps: number[] = []
      await Promise.allSettled(
        Array.from({ length: 9 }, (_, index) =>
          store.write([], async (tx) => {
            tx.afterCommit(() => steps.push(index))
            await tx.accounts.insert(account(index + 1))
            if (index % 3 === 1) throw new Error(`write ${index}`)
            return index % 3 === 2 ? { refused: 'no' } : index
          }),
        ),
      )
      assert.deepEqual(steps.sort(), [0, 3, 6])
    }),
  )

  it(
    'answer although a step throws, run the others, and throw its error where no caller gets it',
    inStore(async (store) => {
      const surprise = new Error('surprise')
      const { promise: uncaught, resolve } = Promise.withResolvers<unknown>()
      process.setUncaughtExceptionCaptureCallback(resolve)
      try {
        const steps: string[] = []
        const answer = await store.write([], async (tx) => {
          tx.afterCommit(() => {
            throw surprise
          })
          tx.afterCommit(() => steps.push('second'))
          return await tx.accounts.insert(account(1))
        })
        assert.deepEqual([answer, steps, await uncaught], [true, ['second'], surprise])
      } finally {
        process.setUncaughtExceptionCaptureCallback(null)
      }
    }),
  )

  it(
    'refuse a tx after its transaction ended',
    inStore(async (store) => {
      let kept: WriteTx | undefined
      let keptToRead: ReadTx | undefined
      await store.write([], async (tx) => {
        kept = tx
      })
      await store.read(async (tx) => {
        keptToRead = tx
      })
      await assert.rejects(async () => await kept?.accounts.insert(account(1)), Error)
      await assert.rejects(async () => await keptToRead?.accounts.find(accountId(1)), Error)
      assert.throws(() => kept?.afterCommit(() => undefined), Error)
      assert.deepEqual(await emails(store, 1), [undefined])
    }),
  )
}

function describeCompany(inStore: InStore): void {
  it(
    'run writes with a common lock one after another: what each write read still holds when it commits',
    inStore(async (store) => {
      const count = () =>
        store.write(['server'], async (tx) => {
          const before = (await tx.server.fact('token_key'))?.[0] ?? 0
          await tx.server.setFact('token_key', Uint8Array.of(before + 1))
        })
      await Promise.all(Array.from({ length: 64 }, count))
      assert.deepEqual(await store.read((tx) => tx.server.fact('token_key')), Uint8Array.of(64))
    }),
  )

  it(
    'run independent statements of one write at the same time',
    inStore(async (store) => {
      const found = await store.write([], async (tx) => {
        await Promise.all([1, 2, 3].map((number) => tx.accounts.insert(account(number))))
        return Promise.all([1, 2, 3].map((number) => tx.accounts.find(accountId(number))))
      })
      assert.deepEqual(
        found.map((each) => each?.email),
        [1, 2, 3].map((number) => account(number).email),
      )
    }),
  )

  it(
    'protect other writes of the same commit from a write that fails or refuses',
    inStore(async (store) => {
      const answers = await Promise.allSettled(
        Array.from({ length: 30 }, (_, index) =>
          store.write([], async (tx) => {
            await tx.accounts.insert(account(index + 1))
            if (index % 3 === 1) throw new Error(`write ${index}`)
            return index % 3 === 2 ? { refused: 'no' } : { done: index }
          }),
        ),
      )
      assert.deepEqual(
        answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.message)),
        answers.map((_, index) => [{ done: index }, `write ${index}`, { refused: 'no' }][index % 3]),
      )
      const found = await emails(store, 30)
      assert.deepEqual(
        found.map((email) => email !== undefined),
        found.map((_, index) => index % 3 === 0),
      )
    }),
  )

  it(
    'commit more simultaneous writes than fit into one commit',
    inStore(async (store) => {
      const inserted = await atOnce(store, 700, (tx, index) => tx.accounts.insert(account(index + 1)))
      assert.ok(inserted.every((each) => each))
      assert.ok((await emails(store, 700)).every((email) => email !== undefined))
    }),
  )

  it(
    'close after all earlier calls are done, and refuse later ones',
    inStore(async (store) => {
      const before = Promise.all([
        store.write([], (tx) => tx.accounts.insert(account(1))),
        store.read((tx) => tx.accounts.find(accountId(1))),
      ])
      const closing = store.close()
      await assert.rejects(store.write([], (tx) => tx.accounts.insert(account(2))))
      await assert.rejects(store.read((tx) => tx.accounts.find(accountId(2))))
      await assert.rejects(store.withReceiptLogLock(async () => undefined))
      await closing
      assert.equal((await before)[0], true)
      await store.close()
    }),
  )
}

function describeReads(inStore: InStore): void {
  it(
    'show a read one snapshot, whatever commits meanwhile',
    inStore(async (store) => {
      await store.write([], (tx) => tx.server.setFact('server_id', Uint8Array.of(1)))
      let meanwhile: Promise<void> | undefined
      const seen = await store.read(async (tx) => {
        const facts = [await tx.server.fact('server_id')]
        meanwhile = store.write([], (other) => other.server.setFact('server_id', Uint8Array.of(2)))
        while (facts.length < 200) facts.push(await tx.server.fact('server_id'))
        return facts
      })
      assert.ok(seen.every((fact) => fact?.[0] === 1))
      await meanwhile
      assert.deepEqual(await store.read((tx) => tx.server.fact('server_id')), Uint8Array.of(2))
    }),
  )

  it(
    'show a read one snapshot, even if a write that runs already commits during the read',
    inStore(async (store) => {
      await store.write([], (tx) => tx.server.setFact('server_id', Uint8Array.of(1)))
      let meanwhile: Promise<readonly (number | undefined)[]> | undefined
      await store.write([], async (tx) => {
        await tx.server.setFact('server_id', Uint8Array.of(2))
        meanwhile = store.read(async (other) => {
          const facts: (number | undefined)[] = []
          while (facts.length < 200) facts.push((await other.server.fact('server_id'))?.[0])
          return facts
        })
        for (let turn = 0; turn < 20; turn += 1) await tx.server.fact('server_id')
      })
      assert.equal(new Set(await meanwhile).size, 1)
    }),
  )

  it(
    'hide uncommitted changes from a read',
    inStore(async (store) => {
      let meanwhile: Promise<unknown> | undefined
      await store.write([], async (tx) => {
        await tx.accounts.insert(account(1))
        meanwhile = store.read((other) => other.accounts.find(accountId(1)))
        for (let turn = 0; turn < 200; turn += 1) await tx.accounts.find(accountId(1))
        return { refused: 'after all' }
      })
      assert.equal(await meanwhile, undefined)
    }),
  )

  it(
    'reject a read with what its work throws, and continue to read',
    inStore(async (store) => {
      const surprise = new Error('surprise')
      const read = store.read(async () => {
        throw surprise
      })
      await assert.rejects(read, (error) => error === surprise)
      assert.deepEqual(await emails(store, 1), [undefined])
    }),
  )
}

function describeQuestions(inStore: InStore): void {
  it(
    'answer one question, hide uncommitted changes from it, and reject a second one',
    inStore(async (store) => {
      let meanwhile: Promise<unknown> | undefined
      await store.write([], async (tx) => {
        await tx.accounts.insert(account(1))
        meanwhile = store.ask((other) => other.accounts.find(accountId(1)))
        for (let turn = 0; turn < 200; turn += 1) await tx.accounts.find(accountId(1))
        return { refused: 'after all' }
      })
      assert.equal(await meanwhile, undefined)
      await store.write([], (tx) => tx.accounts.insert(account(1)))
      const twice = store.ask(async (tx) => [
        await tx.accounts.find(accountId(1)),
        await tx.accounts.find(accountId(1)),
      ])
      await assert.rejects(twice, /one statement/)
      assert.equal((await store.ask((tx) => tx.accounts.find(accountId(1))))?.email, account(1).email)
    }),
  )

  it(
    'show at a look whether anything was committed, and nothing of what was not',
    inStore(async (store) => {
      const look = () => store.look()
      await store.write([], (tx) => tx.accounts.insert(account(1)))
      const before = await look()
      // A store that cannot tell says so always.
      if (before === undefined) return
      assert.equal(await look(), before)
      await store.read((tx) => tx.accounts.find(accountId(1)))
      assert.equal(await look(), before)
      await store.write([], async (tx) => {
        await tx.accounts.insert(account(2))
        return { refused: 'after all' }
      })
      await store.write([], (tx) => tx.accounts.insert(account(2)))
      assert.notEqual(await look(), before)
    }),
  )

  it(
    'refuse the tx of a question after its answer',
    inStore(async (store) => {
      let kept: ReadTx | undefined
      await store.ask(async (tx) => {
        kept = tx
      })
      await assert.rejects(async () => await kept?.accounts.find(accountId(1)), Error)
    }),
  )
}

function describeLock(inStore: InStore): void {
  it(
    'give the lock of the receipt log to one caller at a time, in the order of the calls, also after one threw',
    inStore(async (store) => {
      const steps: string[] = []
      const holders = ['a', 'b', 'c'].map((name) =>
        store.withReceiptLogLock(async () => {
          steps.push(`${name} has it`)
          await store.write([], (tx) => tx.server.setFact('server_id', Uint8Array.of(1)))
          await new Promise(setImmediate)
          steps.push(`${name} gives it up`)
          if (name === 'b') throw new Error('b failed')
          return name
        }),
      )
      const answers = await Promise.allSettled(holders)
      assert.deepEqual(
        answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.message)),
        ['a', 'b failed', 'c'],
      )
      assert.deepEqual(
        steps,
        ['a', 'b', 'c'].flatMap((name) => [`${name} has it`, `${name} gives it up`]),
      )
    }),
  )
}
