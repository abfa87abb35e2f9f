import type { AsyncCommand } from 'fast-check'
import { isRefusal } from '../domain/ground/refusals.ts'
import { defined } from './world.ts'

/** Makes commands of a random run. After each one `agree` compares the model with the rules. */
export function commandsFor<Model extends object, Real>(agree: (model: Model, real: Real) => Promise<void>) {
  return (
    name: string,
    check: (model: Readonly<Model>) => boolean,
    step: (model: Model, real: Real) => Promise<void>,
  ): AsyncCommand<Model, Real> => ({
    check,
    async run(model, real) {
      await step(model, real)
      await agree(model, real)
    },
    toString: () => name,
  })
}

export const always = () => true

export const reasonOf = (answer: unknown): string | undefined =>
  isRefusal(answer) ? String(Object(answer).refused) : undefined

/** Any number is a valid index. */
export function pick<Item>(items: readonly Item[], at: number): Item {
  return defined(items[at % items.length])
}
