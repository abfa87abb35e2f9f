/** The form in which e-mails are stored and compared. */
export function canonicalEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** Takes the canonical form. */
export function isEmail(email: string): boolean {
  return /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)
}
