/** Puts what adds rows behind the budget of its account, for all operations that their rows of the table name. */
import { type Operation, type OperationName, operations } from '@blindkeep/protocol/operations'
import type { Caller } from '../domain/account/sessions.ts'
import { isRefusal, type Refusal } from '../domain/ground/refusals.ts'
import { spenderOf } from '../domain/ground/sessionShare.ts'
import type { RowBudget } from '../domain/quota/rowBudget.ts'
import type { AnyAnswer, Call, Routes } from './call.ts'

type AnyRoute = (call: Call<OperationName>) => Promise<AnyAnswer | Refusal>

export function withinBudget(routes: Routes, rowBudget: RowBudget): Routes {
  const bounded = Object.keys(routes).map((name) => [
    name,
    within(operations[name as OperationName], name, routes, rowBudget),
  ])
  return Object.fromEntries(bounded)
}

function within(row: Operation, name: string, routes: Routes, rowBudget: RowBudget): AnyRoute {
  const route = routes[name as OperationName] as AnyRoute
  const { leaves } = row
  // A repeat of a creation gets 200, and has added nothing.
  const isRepeat = (answer: AnyAnswer) => row.method === 'POST' && answer.status === 200
  if (leaves === undefined) return route
  if (leaves === 'own') return async (call) => (await rowBudget.judgeRoom()) ?? route(call)
  return async (call) => {
    const { caller } = call as { readonly caller: Caller | undefined }
    if (caller === undefined) throw new Error(`${name} adds rows without an account`)
    return rowBudget.within(leaves, spenderOf(caller), {
      // An upload has a window of its own on the disk (`room.ts`).
      add: async () => (leaves === 'uploads' ? undefined : await rowBudget.judgeRoom()) ?? route(call),
      addedBy: (answer) => Number(isRefusal(answer) ? leaves === 'rows' && isAtBound(answer) : !isRepeat(answer)),
    })
  }
}

/** It looked at all rows of the account: without a rate, an account at its bound could ask endlessly. */
function isAtBound({ refused }: Refusal): boolean {
  return refused === 'limit_reached' || refused === 'links_exhausted'
}
