import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/schema'
import type { Checker } from './checker.ts'

/** For browsers: a page's Content-Security-Policy forbids code made at run time, and the compiler is a third of a bundle. */
export function createChecker(schema: TSchema): Checker {
  return {
    Check: (value) => Check(schema, value),
    Errors: (value) => Errors(schema, value)[1],
  }
}
