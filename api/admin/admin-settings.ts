/** The settings that an operator command reads if it declares no others. */
export const usualSettings = ['DATABASE_URL', 'SECRET_KEY'];
