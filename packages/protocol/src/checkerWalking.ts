import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/schema'
import type { Checker } from './parse.ts'

/** In a browser: a page's Content-Security-Policy forbids code made at run time, and what would make it is a third of a bundle. */
export function createChecker(schema: TSchema): Checker {
  return {
    Check: (value) => Check(schema, value),
    Errors: (value) => Errors(schema, value)[1],
  }
}
