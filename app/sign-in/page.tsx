import { SignIn } from '@/components/shell/sign-in'

/** Opening the link changes nothing: only the button uses the one-time token. */
export default async function SignInPage({
  searchParams,
}: {
  searchParams: Promise<{ token?: string | string[]; next?: string | string[]; error?: string | string[] }>
}) {
  const { token, next, error } = await searchParams
  return (
    <SignIn
      token={typeof token === 'string' ? token : null}
      next={typeof next === 'string' ? next : null}
      failed={error !== undefined}
    />
  )
}
