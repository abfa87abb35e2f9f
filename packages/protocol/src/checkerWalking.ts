import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/schema'
import type { Checker } from './checker.ts'

/** For browsers: the Content-Security-Policy forbids code made at run time, and the compiler is large. */
export function createChecker(schema: TSchema): Checker {
  return {
    Check: (value) => Check(schema, value),
    Errors: (value) => Errors(schema, value)[1],
  }
}
