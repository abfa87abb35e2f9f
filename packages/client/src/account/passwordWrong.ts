import { ProblemError } from '../http/errors.ts'

/** The password is wrong. Nothing was changed. If the server was asked, the attempt counts as a failed sign-in. */
export class PasswordWrong extends Error {
  override readonly name = 'PasswordWrong'

  constructor(options?: ErrorOptions) {
    super('The current password is wrong. Nothing was changed.', options)
  }
}

/** Sends a request that proves the current password; throws `PasswordWrong` when the server refuses the proof. */
export async function withPassword<Answer>(request: () => Promise<Answer>): Promise<Answer> {
  try {
    return await request()
  } catch (error) {
    const isWrong = error instanceof ProblemError && error.code === 'error.auth.invalid_credentials'
    throw isWrong ? new PasswordWrong({ cause: error }) : error
  }
}
