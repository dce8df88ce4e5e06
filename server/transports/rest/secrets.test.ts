import { describe, expect, it } from 'vitest'
import { openApiServer } from '@/testing/api-server'

describe('secrets over REST', () => {
  it('are set, listed by name, replaced and removed; no answer holds a value', async () => {
    await using api = await openApiServer()
    const put = await api.call('PUT', '/api/v1/secrets/weather_hook', { value: 'canary-1-of-the-hook' })
    expect([put.status, put.body]).toEqual([200, { name: 'weather_hook' }])
    await api.call('PUT', '/api/v1/secrets/weather_hook', { value: 'canary-2-of-the-hook' })
    const list = await api.call('GET', '/api/v1/secrets')
    expect(list.body).toMatchObject({ items: [{ name: 'weather_hook', updated_by: 'root' }] })
    expect(JSON.stringify([put.body, list.body])).not.toContain('canary')
    expect(await api.ctx.secrets.reveal('weather_hook')).toBe('canary-2-of-the-hook')
    expect((await api.call('DELETE', '/api/v1/secrets/weather_hook')).status).toBe(204)
    expect((await api.call('DELETE', '/api/v1/secrets/weather_hook')).status).toBe(404)
    expect(await api.ctx.secrets.reveal('weather_hook')).toBeNull()
  })

  it.each([
    '',
    'x',
    'fifteen letters',
    'whsec_c2hvcnQga2V5',
    `whsec_${'='.repeat(40)}`,
    ' '.repeat(20),
    '\0'.repeat(20),
  ])('[SECURITY] refuses the value %j, which can be guessed', async (value) => {
    await using api = await openApiServer()
    const answer = await api.call('PUT', '/api/v1/secrets/weather_hook', { value })
    expect(answer.status).toBe(422)
    expect(JSON.stringify(answer.body)).toContain('openssl rand')
  })

  it.each(['__proto__', 'Upper', 'a'.repeat(64), 'a.b', '1a'])('refuses the name %j', async (name) => {
    await using api = await openApiServer()
    const answer = await api.call('PUT', `/api/v1/secrets/${encodeURIComponent(name)}`, {
      value: 'a value that is long enough',
    })
    expect(answer.status).toBe(422)
  })
})
