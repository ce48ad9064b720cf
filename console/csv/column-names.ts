/** The names of columns with addresses in files of other programs: in lower case, without spaces and signs. */
export const phoneNames = [
  'phone',
  'phonenumber',
  'mobile',
  'mobilenumber',
  'cellphone',
  'telephone',
  'tel',
  'msisdn',
  'whatsapp',
] as const;
export const emailNames = ['email', 'emailaddress', 'mail'] as const;
