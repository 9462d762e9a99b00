//! Extractors for bodies and query parameters whose errors have the API's format.

use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::errors::ApiError;

/// A JSON body.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let body: Result<axum::Json<T>, JsonRejection> =
            axum::Json::from_request(request, state).await;
        body.map(|axum::Json(value)| JsonBody(value))
            .map_err(|error| ApiError::new(error.status(), error.body_text()))
    }
}

/// The query parameters.
pub(crate) struct QueryParams<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let query: Result<Query<T>, QueryRejection> = Query::from_request_parts(parts, state).await;
        query
            .map(|Query(value)| QueryParams(value))
            .map_err(|error| ApiError::new(error.status(), error.body_text()))
    }
}
