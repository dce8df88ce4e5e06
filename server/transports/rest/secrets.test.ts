import { describe, expect, it } from 'vitest'
import { openApiServer } from '@/testing/api-server'

describe('secrets over REST', () => {
  it('are set, listed by name, replaced and removed; no answer holds a value', async () => {
    await using api = await openApiServer()
    const put = await api.call('PUT', '/api/v1/secrets/weather_hook', { value: 'canary-1' })
    expect([put.status, put.body]).toEqual([200, { name: 'weather_hook' }])
    await api.call('PUT', '/api/v1/secrets/weather_hook', { value: 'canary-2' })
    const list = await api.call('GET', '/api/v1/secrets')
    expect(list.body).toMatchObject({ items: [{ name: 'weather_hook', updated_by: 'root' }] })
    expect(JSON.stringify([put.body, list.body])).not.toContain('canary')
    expect(await api.ctx.secrets.reveal('weather_hook')).toBe('canary-2')
    expect((await api.call('DELETE', '/api/v1/secrets/weather_hook')).status).toBe(204)
    expect((await api.call('DELETE', '/api/v1/secrets/weather_hook')).status).toBe(404)
    expect(await api.ctx.secrets.reveal('weather_hook')).toBeNull()
  })

  it.each(['__proto__', 'Upper', 'a'.repeat(64), 'a.b', '1a'])('refuses the name %j', async (name) => {
    await using api = await openApiServer()
    const answer = await api.call('PUT', `/api/v1/secrets/${encodeURIComponent(name)}`, { value: 'v' })
    expect(answer.status).toBe(422)
  })
})
