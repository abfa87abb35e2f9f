/** An error with a reason for programs and a message for people. Each of its classes sets its own `name`. */
export abstract class ReasonedError<Reason extends string> extends Error {
  readonly reason: Reason

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
