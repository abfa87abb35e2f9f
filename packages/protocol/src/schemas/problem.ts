import { Type } from 'typebox'
import { PROBLEM_CODES, PROBLEMS, type ProblemCode } from '../problems.ts'
import type { Static } from '../static.ts'
import { integer, plainText } from './shape.ts'

const members = {
  type: plainText('Path of the page that explains the code.'),
  title: Type.Optional(plainText('What went wrong, in a few words.')),
  status: integer('The HTTP status.', 400),
  detail: Type.Optional(plainText('What went wrong this time, for people, in English.')),
  instance: Type.Optional(plainText('urn:uuid: and the request id of X-Request-Id.')),
}

const code = (codes: readonly ProblemCode[]) =>
  Type.Unsafe<string>({ type: 'string', enum: [...codes], description: 'Stable code for programs.' })

/** RFC 9457 with `code`. Allows other members, as the RFC requires of readers. */
export const CodedProblem = Type.Object(
  {
    ...members,
    code: code(PROBLEM_CODES),
    moved_to: Type.Optional(plainText('Only with error.server.moved: the present address of the server, for people.')),
  },
  { $id: 'CodedProblem' },
)
export type CodedProblem = Static<typeof CodedProblem>

export const FileTooLargeProblem = Type.Object(
  {
    ...members,
    code: code(PROBLEM_CODES.filter((each) => PROBLEMS[each].status === 413)),
    limit: Type.Optional(integer('Largest sealed file that is accepted, in bytes.')),
  },
  { $id: 'FileTooLargeProblem' },
)
export type FileTooLargeProblem = Static<typeof FileTooLargeProblem>
